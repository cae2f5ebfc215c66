/** Program: an MCP server with pages beside its tools, over stdio. Arguments: the era it speaks, files with pages by name. */
import { readFileSync } from 'node:fs'
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const PAGE = 'text/html;profile=mcp-app'
const [era = 'modern', weatherFile, hostileFile] = process.argv.slice(2)
const fileOr = (path: string | undefined, otherwise: string): string =>
  path === undefined ? otherwise : readFileSync(path, 'utf8')
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

function createPageServer(): McpServer {
  const server = new McpServer({ name: 'desk', version: '1.0.0' })
  const city = z.object({ city: z.string() })
  server.registerTool(
    'weather',
    {
      title: 'Weather',
      description: 'Tells the weather',
      inputSchema: city,
      _meta: { ui: { resourceUri: 'ui://desk/weather' } },
    },
    async ({ city: name }) => ({
      content: [
        { type: 'text', text: `rain in ${name}` },
        { type: 'text', text: 'all day' },
      ],
      structuredContent: { degrees: 7 },
      _meta: { for_page: 'drops' },
    }),
  )
  server.registerTool(
    'earlier',
    { description: 'Says it the older way', _meta: { 'ui/resourceUri': 'ui://desk/weather' } },
    async () => text('earlier'),
  )
  server.registerTool(
    'hostile',
    { description: 'Has a bad page', _meta: { ui: { resourceUri: 'ui://desk/hostile' } } },
    async () => text('shown'),
  )
  server.registerTool(
    'plain',
    { description: 'Names what is no page', _meta: { ui: { resourceUri: 'ui://desk/plain' } } },
    async () => text('plain'),
  )
  server.registerTool(
    'remote',
    { description: 'Names an address elsewhere', _meta: { ui: { resourceUri: 'https://example.com/x' } } },
    async () => text('remote'),
  )
  server.registerTool('save', { description: 'Keeps it', inputSchema: city }, async ({ city: name }) =>
    text(`saved ${name}`),
  )
  server.registerTool(
    'refresh',
    { description: 'Only for pages', _meta: { ui: { visibility: ['app'] } } },
    async () => text('fresh'),
  )
  server.registerTool(
    'think',
    { description: 'Only for models', _meta: { ui: { visibility: ['model'] } } },
    async () => text('thought'),
  )
  server.registerTool('capable', { description: 'What its client can' }, async ({ mcpReq }) =>
    text(JSON.stringify([server.server.getClientCapabilities(), mcpReq.envelope])),
  )
  addPages(server)
  return server
}

function addPages(server: McpServer): void {
  const csp = {
    connectDomains: ['https://api.weather.example'],
    resourceDomains: ['https://cdn.weather.example'],
  }
  server.registerResource('weather', 'ui://desk/weather', { mimeType: PAGE }, async uri => ({
    contents: [
      {
        uri: uri.href,
        mimeType: PAGE,
        text: fileOr(weatherFile, '<!doctype html><p>weather</p>'),
        _meta: { ui: { csp, prefersBorder: true } },
      },
    ],
  }))
  const listed = { ui: { csp: { connectDomains: ['https://listed.example'] } } }
  server.registerResource('hostile', 'ui://desk/hostile', { mimeType: PAGE, _meta: listed }, async uri => ({
    contents: [
      {
        uri: uri.href,
        mimeType: 'text/html; profile="mcp-app"',
        blob: Buffer.from(fileOr(hostileFile, '<p>hostile é</p>')).toString('base64'),
      },
    ],
  }))
  server.registerResource('plain', 'ui://desk/plain', { mimeType: 'text/html' }, async uri => ({
    contents: [{ uri: uri.href, mimeType: 'text/html', text: '<p>no page</p>' }],
  }))
  server.registerResource('data', 'desk://data', {}, async uri => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'kept by the desk' }],
  }))
}

if (era === 'legacy') await createPageServer().connect(new StdioServerTransport())
else serveStdio(createPageServer)
