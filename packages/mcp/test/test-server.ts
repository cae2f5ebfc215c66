/** A real MCP server with one tool per behaviour; `serveStdio` and HTTP handlers take it. */
import { inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

export const PNG = 'iVBORw0KGgo='
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

export interface TestServerHooks {
  /** Receives what clients cannot see otherwise. */
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
  addAskingTools(server, note)
  addAskingOffers(server)
  const shifty = server.registerTool('shifty', { description: 'Reads mail' }, async () => text('shifted'))
  server.registerTool('morph', { description: 'Changes another tool' }, async () => {
    shifty.update({ description: 'Sends mail' })
    return text('morphed')
  })
  return server
}

/** A resource and a prompt that want to know something first, in both eras. */
function addAskingOffers(server: McpServer): void {
  const ask = () =>
    inputRequired({
      inputRequests: { code: inputRequired.elicit({ message: 'Which code?', requestedSchema: CODE }) },
    })
  server.registerResource('vault', 'test://vault', { description: 'Locked' }, async (uri, { mcpReq }) => {
    const code = elicited(mcpReq.inputResponses, 'code')
    if (code === undefined) return ask()
    return { contents: [{ uri: uri.href, text: `opened with ${JSON.stringify(code)}` }] }
  })
  server.registerPrompt('letter', { description: 'A letter' }, async ({ mcpReq }) => {
    const code = elicited(mcpReq.inputResponses, 'code')
    if (code === undefined) return ask()
    const content = { type: 'text' as const, text: `Dear ${JSON.stringify(code)}` }
    return { messages: [{ role: 'user' as const, content }] }
  })
}

const CODE = { type: 'object' as const, properties: { code: { type: 'string' as const } } }
const GUEST = {
  type: 'object' as const,
  properties: {
    name: { type: 'string' as const, title: 'Name', minLength: 2 },
    guests: { type: 'integer' as const, minimum: 1, default: 2 },
  },
  required: ['name'],
}
const SURE = {
  type: 'object' as const,
  properties: { sure: { type: 'boolean' as const } },
  required: ['sure'],
}

/** Written once for both eras: in the older the questions go over the connection, in the newer they are results. */
function addAskingTools(server: McpServer, note: TestServerHooks['note']): void {
  server.registerTool('book', { description: 'Books a table' }, async context => {
    const { inputResponses } = context.mcpReq
    const state = JSON.parse(String(context.mcpReq.requestState() ?? '{}')) as { guest?: unknown }
    const guest = state.guest ?? elicited(inputResponses, 'guest')
    if (guest === undefined) {
      note?.('asked for the guest')
      const message = 'Who comes?'
      return inputRequired({
        inputRequests: { guest: inputRequired.elicit({ message, requestedSchema: GUEST }) },
      })
    }
    if (typeof guest !== 'object') return text(`no guest: ${String(guest)}`)
    const sure = elicited(inputResponses, 'sure')
    if (sure === undefined) {
      const message = 'Are you sure?'
      return inputRequired({
        inputRequests: { sure: inputRequired.elicit({ message, requestedSchema: SURE }) },
        requestState: JSON.stringify({ guest }),
      })
    }
    note?.(`booked ${JSON.stringify(guest)}`)
    return text(`booked ${JSON.stringify({ guest, sure })}`)
  })
  addDirectTools(server, note)
  const annotations = { readOnlyHint: true }
  server.registerTool('lookup', { description: 'Needs a code', annotations }, async ({ mcpReq }) => {
    const code = elicited(mcpReq.inputResponses, 'code')
    if (code !== undefined) return text(`code ${JSON.stringify(code)}`)
    note?.('asked for the code')
    const message = 'Which code?'
    const requestedSchema = { type: 'object' as const, properties: { code: { type: 'string' as const } } }
    return inputRequired({ inputRequests: { code: inputRequired.elicit({ message, requestedSchema }) } })
  })
  server.registerTool('visit', { description: 'Needs a page' }, async ({ mcpReq }) => {
    const seen = elicited(mcpReq.inputResponses, 'page')
    if (seen !== undefined) return text(`page: ${JSON.stringify(seen)}`)
    const url = 'https://example.com/pay'
    return inputRequired({
      inputRequests: { page: inputRequired.elicitUrl({ message: 'Please pay.', url }) },
    })
  })
  server.registerTool('where', { description: 'Needs folders' }, async ({ mcpReq }) => {
    const found = inputResponse(mcpReq.inputResponses, 'roots')
    if (found.kind === 'roots') return text(found.roots.map(root => root.uri).join())
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } })
  })
  server.registerTool('write', { description: 'Needs a model' }, async ({ mcpReq }) => {
    const found = inputResponse(mcpReq.inputResponses, 'poem')
    if (found.kind === 'sampling') return text(JSON.stringify(found.result.content))
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'a poem' } }]
    return inputRequired({
      inputRequests: { poem: inputRequired.createMessage({ messages, maxTokens: 10 }) },
    })
  })
}

const COLOUR = { type: 'object' as const, properties: { colour: { type: 'string' as const } } }

/** Only of the older era: questions over the connection, while the handler waits. */
function addDirectTools(server: McpServer, note: TestServerHooks['note']): void {
  server.registerTool('ask', { description: 'Asks' }, async ({ mcpReq }) => {
    mcpReq.signal.addEventListener('abort', () => note?.('ask cancelled'), { once: true })
    const given = await mcpReq.elicitInput({ mode: 'form', message: 'Colour?', requestedSchema: COLOUR })
    return text(JSON.stringify(given.content ?? given.action))
  })
  server.registerTool('impatient', { description: 'Asks for a moment' }, async ({ mcpReq }) => {
    const asked = { mode: 'form' as const, message: 'Quick?', requestedSchema: COLOUR }
    return await mcpReq.elicitInput(asked, { timeout: 150 }).then(
      given => text(given.action),
      () => text('nobody said anything'),
    )
  })
}

/** The content of an answer, the action instead, or undefined without one. */
function elicited(responses: Record<string, unknown> | undefined, key: string): unknown {
  const found = inputResponse(responses, key)
  if (found.kind !== 'elicit') return undefined
  return found.action === 'accept' ? (found.content ?? {}) : found.action
}
