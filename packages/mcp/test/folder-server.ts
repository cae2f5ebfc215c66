/** Program: works in the folder of its argument, unless the client offers roots; then in the first of those. Older era. */
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

const [folder = ''] = process.argv.slice(2)
const server = new McpServer({ name: 'folder', version: '1' }, { capabilities: { tools: {} } })
server.registerTool('folder', { description: 'Where it works' }, async () => {
  const offered = server.server.getClientCapabilities()?.roots ? await server.server.listRoots() : undefined
  return { content: [{ type: 'text', text: offered?.roots[0]?.uri ?? folder }] }
})
await server.connect(new StdioServerTransport())
