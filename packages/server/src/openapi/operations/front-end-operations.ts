/** Chats of front ends: the AI SDK in its dialects, AG-UI and CopilotKit. */
import { AgUiBody, AiSdkBody } from '@toolwire/wire'
import { z } from 'zod'
import { AgUiQuery, EnvelopeBody } from '../../ag-ui/routes.ts'
import { either, empty, json, type Operation, stream } from '../operation.ts'
import { AgentInfo, AgUiFrame, ChatMessages, ChatStopped, UiChunkFrame } from '../shapes/front-end-shapes.ts'

const tag = 'Front ends'
const BASES = [
  ['/api', '', 'ai 6'],
  ['/api/ai/v5', 'V5', 'ai 5'],
  ['/api/ai/v6', 'V6', 'ai 6'],
  ['/api/ai/v7', 'V7', 'ai 7'],
] as const
const starting = ['bad_request', 'unknown_model', 'missing_key', 'conflict', 'run_not_found'] as const

const chatOperations = ([base, suffix, name]: (typeof BASES)[number]): readonly Operation[] => [
  {
    method: 'POST',
    url: `${base}/chat`,
    id: `sendUiMessages${suffix}`,
    tag,
    summary: `Send a message or answers from a page of ${name}, and read the response`,
    description: 'Only new user messages and answers to open calls are read from the list.',
    headers: ['Idempotency-Key'],
    errors: 'text',
    body: AiSdkBody.meta({ id: `UiMessages${suffix}` }),
    refuses: [...starting, 'session_deleted', 'shutting_down'],
    answers: { 200: stream(UiChunkFrame, 'The UI message stream; it ends with `[DONE]`.') },
  },
  {
    method: 'GET',
    url: `${base}/chat/:id/stream`,
    id: `resumeUiStream${suffix}`,
    tag,
    summary: `Resume the running response in a page of ${name}`,
    errors: 'text',
    refuses: ['shutting_down', 'run_not_found'],
    answers: {
      200: stream(UiChunkFrame, 'The whole message, from its start.'),
      204: empty('Nothing runs.'),
    },
  },
  {
    method: 'POST',
    url: `${base}/chat/:id/stop`,
    id: `stopUiChat${suffix}`,
    tag,
    summary: 'Stop the running response',
    errors: 'text',
    answers: { 200: json(ChatStopped, 'Whether anything was stopped.') },
  },
  {
    method: 'GET',
    url: `${base}/chat/:id/messages`,
    id: `listUiMessages${suffix}`,
    tag,
    summary: `List the messages of a chat as a page of ${name} has them`,
    errors: 'text',
    answers: { 200: json(ChatMessages, 'The messages; an unknown chat has none.') },
  },
]

const running = ['bad_request', 'conflict', 'session_deleted', 'shutting_down', 'not_found'] as const
const RunInput = AgUiBody.meta({ id: 'RunAgentInput' })
const events = (text: string) => stream(AgUiFrame, text)

const runOperation = (url: string, id: string): Operation => ({
  method: 'POST',
  url,
  id,
  tag,
  summary: 'Run the agent for a thread, and read its events',
  errors: 'text',
  query: AgUiQuery,
  body: RunInput,
  refuses: running,
  answers: { 200: events('The events of the run; it ends with `RUN_FINISHED` or `RUN_ERROR`.') },
})

const agUiOperations: readonly Operation[] = [
  runOperation('/ag-ui', 'runAgUi'),
  runOperation('/ag-ui/:agent', 'runAgUiAgent'),
  runOperation('/copilotkit/agent/:agent/run', 'runCopilotAgent'),
  {
    ...runOperation('/copilotkit/agent/:agent/connect', 'connectCopilotAgent'),
    summary: 'Open a thread again: its messages, what waits, and the run in progress',
    answers: {
      200: events('One run with the messages, then the run in progress.'),
      204: empty('No such thread.'),
    },
  },
  {
    ...runOperation('/copilotkit/agent/:agent/suggest', 'suggestCopilotAgent'),
    summary: 'Ask for suggestions; this server makes none',
    answers: { 200: events('A run without content.') },
  },
  {
    method: 'POST',
    url: '/copilotkit/agent/:agent/stop/:thread',
    id: 'stopCopilotAgent',
    tag,
    summary: 'Stop the run of a thread',
    errors: 'text',
    refuses: ['not_found'],
    answers: { 200: json(ChatStopped, 'Whether anything was stopped.') },
  },
  {
    method: 'GET',
    url: '/copilotkit/info',
    id: 'copilotInfo',
    tag,
    summary: 'List the agents for CopilotKit',
    errors: 'text',
    answers: { 200: json(AgentInfo, 'The agents.') },
  },
  {
    method: 'POST',
    url: '/copilotkit',
    id: 'copilotEnvelope',
    tag,
    summary: 'The routes of CopilotKit in one: the method is in the body',
    errors: 'text',
    query: AgUiQuery,
    body: EnvelopeBody.meta({ id: 'CopilotEnvelope' }),
    refuses: running,
    answers: {
      200: either(z.union([AgentInfo, ChatStopped]), AgUiFrame, 'As the route that the method names.'),
      204: empty('No such thread.'),
    },
  },
]

export const frontEndOperations: readonly Operation[] = [...BASES.flatMap(chatOperations), ...agUiOperations]
