/** Program: an MCP server that reads files by paths and by file addresses, over stdio. Argument: its folder. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const [folder = ''] = process.argv.slice(2)
const server = new McpServer({ name: 'files', version: '1' })
server.registerTool(
  'read_file',
  { description: 'Reads a file', inputSchema: z.object({ path: z.string() }) },
  async ({ path }) => ({ content: [{ type: 'text', text: readFileSync(resolve(folder, path), 'utf8') }] }),
)
server.registerResource(
  'file',
  new ResourceTemplate('file:///{+path}', { list: undefined }),
  {},
  async uri => ({
    contents: [{ uri: uri.href, text: readFileSync(fileURLToPath(uri), 'utf8') }],
  }),
)
await server.connect(new StdioServerTransport())
