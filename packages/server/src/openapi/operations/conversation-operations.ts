/** Talking with a session: the streaming chat API, and answers to what a run waits for. */
import { ApprovalBody, ChatBody, ToolOutputsBody } from '@toolwire/wire'
import { PendingQuery } from '../../routes/answers.ts'
import { ResumeQuery } from '../../routes/chat.ts'
import { empty, json, type Operation, stream } from '../operation.ts'
import { ApprovalRecorded, OutputsRecorded, PendingList } from '../shapes/session-shapes.ts'
import { ChatFrame } from '../shapes/stream-shapes.ts'

const tag = 'Conversation'
const known = ['session_not_found', 'session_deleted'] as const
const answering = ['bad_request', 'unknown_call', 'already_answered', 'expired'] as const

export const conversationOperations: readonly Operation[] = [
  {
    method: 'POST',
    url: '/api/chat/stream',
    id: 'chat',
    tag,
    summary: 'Say something, or answer what the session waits for, and read the answer',
    description: 'Either `message`, or `tool_outputs` and `approvals`.',
    headers: ['Idempotency-Key'],
    body: ChatBody.meta({ id: 'ChatRequest' }),
    refuses: [
      ...answering,
      'not_a_client_tool',
      'approval_not_found',
      'unknown_model',
      'missing_key',
      'conflict',
      'shutting_down',
      ...known,
    ],
    answers: { 200: stream(ChatFrame, 'The answer; it ends with `result` and `done`.') },
  },
  {
    method: 'GET',
    url: '/api/chat/stream',
    id: 'resumeChat',
    tag,
    summary: 'Read an answer on after a cut',
    query: ResumeQuery,
    headers: ['Last-Event-ID'],
    refuses: ['bad_request', 'invalid_cursor', 'log_reset', 'run_not_found', 'shutting_down', ...known],
    answers: {
      200: stream(ChatFrame, 'The rest of the answer.'),
      204: empty('Nothing is left to read.'),
    },
  },
  {
    method: 'POST',
    url: '/api/approvals/:id',
    id: 'answerApproval',
    tag,
    summary: 'Decide on a call, or answer a question',
    description: 'The first answer counts. A later one is told what is recorded, with `first` false.',
    body: ApprovalBody.meta({ id: 'ApprovalAnswer' }),
    refuses: ['bad_request', 'approval_not_found', 'already_answered', 'expired', 'session_deleted'],
    answers: { 200: json(ApprovalRecorded, 'What is recorded.') },
  },
  {
    method: 'POST',
    url: '/api/sessions/:id/tool_outputs',
    id: 'answerTools',
    tag,
    summary: 'Give the outputs of tools that the client runs',
    body: ToolOutputsBody.meta({ id: 'ToolOutputs' }),
    refuses: [...answering, 'not_a_client_tool', ...known],
    answers: { 200: json(OutputsRecorded, 'What was accepted, and what still waits.') },
  },
  {
    method: 'GET',
    url: '/api/pending',
    id: 'listPending',
    tag,
    summary: 'Everything that waits for somebody, of all sessions',
    query: PendingQuery,
    refuses: ['bad_request'],
    answers: { 200: json(PendingList, 'Approvals, questions and tools of clients.') },
  },
]
