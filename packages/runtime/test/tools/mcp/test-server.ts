/** A real MCP server with one tool per behaviour; `serveStdio` and HTTP handlers take it. */
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

export const PNG = 'iVBORw0KGgo='
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

export interface TestServerHooks {
  /** Told of what clients cannot see otherwise. */
  readonly note?: (line: string) => void
  readonly crash?: () => void
}

export function createTestServer({ note, crash }: TestServerHooks = {}): McpServer {
  const server = new McpServer(
    { name: 'test', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  )
  server.registerTool(
    'echo',
    {
      title: 'Echo',
      description: 'Says it again',
      inputSchema: z.object({ text: z.string() }),
      annotations: { readOnlyHint: true },
    },
    async ({ text: said }) => text(said),
  )
  server.registerTool('environment', { description: 'What it was given' }, async () =>
    text(
      JSON.stringify({ given: process.env['GIVEN'], secret: process.env['TOOLWIRE_TEST_SECRET'] ?? null }),
    ),
  )
  server.registerTool(
    'structured',
    {
      description: 'Data',
      inputSchema: z.object({ with_text: z.boolean() }),
      outputSchema: z.object({ n: z.number() }),
    },
    async ({ with_text }) => ({
      structuredContent: { n: 1 },
      content: with_text ? [{ type: 'text' as const, text: 'one, in words' }] : [],
    }),
  )
  server.registerTool('picture', { description: 'An image' }, async () => ({
    content: [
      { type: 'text', text: 'look' },
      { type: 'image', mimeType: 'image/png', data: PNG },
      { type: 'resource_link', uri: 'file:///a.txt', name: 'a.txt' },
      { type: 'resource', resource: { uri: 'file:///b.txt', text: 'inside' } },
    ],
  }))
  server.registerTool('refuse', { description: 'Fails' }, async () => ({
    ...text('no, thank you'),
    isError: true,
  }))
  server.registerTool('nothing', { description: 'Empty' }, async () => ({ content: [] }))
  server.registerTool(
    'steps',
    { description: 'Reports', inputSchema: z.object({ count: z.number(), every_ms: z.number() }) },
    async ({ count, every_ms }, context) => {
      const progressToken = context.mcpReq._meta?.progressToken
      for (let progress = 1; progress <= count; progress++) {
        await new Promise(resolve => setTimeout(resolve, every_ms))
        if (progressToken === undefined) continue
        await context.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: count, message: `step ${progress}` },
        })
      }
      return text('all steps')
    },
  )
  server.registerTool('hang', { description: 'Never ends' }, async context => {
    note?.('hang started')
    await new Promise<void>(resolve => {
      context.mcpReq.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    note?.('hang cancelled')
    return text('cancelled')
  })
  server.registerTool('crash', { description: 'Ends the server' }, async () => {
    crash?.()
    await new Promise(() => undefined)
    return text('not reached')
  })
  server.registerTool('grow', { description: 'Adds a tool' }, async () => {
    server.registerTool('grown', { description: 'New' }, async () => text('here'))
    return text('grown')
  })
  return server
}
