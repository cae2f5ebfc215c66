/** A connection to a server that is always ready, has one tool, and answers its calls as the test says. */
import type { Connection } from '../src/connection.ts'
import { createHeldCalls } from '../src/held-calls.ts'
import { program } from './stage-mcp.ts'

export const ONE_TOOL = {
  name: 'call',
  description: '',
  input_schema: {},
  read_only: false,
  idempotent: false,
}

export const fixedConnection = (name: string, call: Connection['call']): Connection => ({
  name,
  config: program('hostile-server.ts', 'noise'),
  status: () => ({ name, state: 'ready', tools: 1, skipped: 0, resources: false, prompts: false }),
  tools: () => [ONE_TOOL],
  call,
  use: async () => await new Promise(() => undefined),
  held: createHeldCalls(1000),
  retry: () => undefined,
  close: async () => undefined,
})
