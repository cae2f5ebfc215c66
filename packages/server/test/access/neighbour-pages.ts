/** MCP servers with one page, for tests about owners. */
import type { TestConfig } from '../split-config.ts'

const page = {
  server: 'desk',
  uri: 'ui://a',
  html: '<p>',
  tool: { name: 'pick', description: '', input_schema: {} },
  connect: [],
  load: [],
}
export const mcp: NonNullable<TestConfig['mcp']> = {
  status: () => [],
  finishSignIn: async () => undefined,
  signOut: async () => true,
  pages: {
    read: async () => page,
    callable: () => 'pick',
    server: () => 'desk',
    resource: async () => ({ contents: ['kept by alpha'] }),
  },
}
