/** Every operation that a server can have. A server's routes decide which of them it has. */
import type { Operation } from '../operation.ts'
import { conversationOperations } from './conversation-operations.ts'
import { frontEndOperations } from './front-end-operations.ts'
import { gatewayOperations } from './gateway-operations.ts'
import { providerOperations } from './provider-operations.ts'
import { serverOperations } from './server-operations.ts'
import { sessionOperations } from './session-operations.ts'
import { threadOperations } from './thread-operations.ts'
import { toolOperations } from './tool-operations.ts'

export const OPERATIONS: readonly Operation[] = [
  ...sessionOperations,
  ...conversationOperations,
  ...toolOperations,
  ...threadOperations,
  ...frontEndOperations,
  ...gatewayOperations,
  ...serverOperations,
  ...providerOperations,
]

/** In the order of the reference. */
export const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Sessions', description: 'A session is a list of events; everything else is read from it.' },
  { name: 'Conversation', description: 'The streaming chat API, and answers to what a run waits for.' },
  { name: 'Tools', description: 'What models can call.' },
  { name: 'Permissions', description: 'What calls may do without being asked about.' },
  { name: 'MCP', description: 'Servers whose tools are used here.' },
  { name: 'Memory', description: 'Notes that models keep for later sessions.' },
  { name: 'Thread protocol', description: 'Threads, with errors in their own words.' },
  {
    name: 'Front ends',
    description: 'Pages built with the AI SDK, AG-UI or CopilotKit arrive here by changing one URL.',
  },
  { name: 'Gateway', description: 'Clients of OpenAI and Anthropic arrive here unchanged.' },
  { name: 'Server', description: 'Health, figures, settings and keys.' },
  { name: 'Web app', description: 'Pages for people.' },
]
