/** The test server over every kind of HTTP that clients meet, each on a separate port. */
import { randomUUID } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server'
import { createTestServer, type TestServerHooks } from './test-server.ts'

const servers: Server[] = []

export async function closeServers(): Promise<void> {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
}

export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

/** The newer era: no sessions. `seen` are the headers of every request. */
export async function serveModern(hooks: TestServerHooks = {}) {
  const seen: IncomingMessage['headers'][] = []
  let grown = false
  const handler = createMcpHandler(() => {
    const server = createTestServer(hooks)
    if (grown)
      server.registerTool('grown', { description: 'New' }, async () => ({
        content: [{ type: 'text', text: 'here' }],
      }))
    return server
  })
  const node = toNodeHandler(handler)
  const url = await listen((request, response) => {
    seen.push(request.headers)
    void node(request, response)
  })
  const grow = (): void => {
    grown = true
    handler.notify.toolsChanged()
  }
  return { url, seen, grow }
}

/** The older era with sessions, which `forget` makes the server lose. */
export async function serveSessions(hooks: TestServerHooks = {}) {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>()
  let begun = 0
  const url = await listen((request, response) => void answer(request, response))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (known) return await known.handleRequest(request, response)
    if (id !== undefined) return void response.writeHead(404).end('{}')
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized(session: string) {
        begun++
        sessions.set(session, transport)
      },
    })
    await createTestServer(hooks).connect(transport)
    await transport.handleRequest(request, response)
  }
  return { url, forget: () => sessions.clear(), begun: () => begun }
}

/** The oldest way: one stream for answers, another address for requests. */
export async function serveSse(hooks: TestServerHooks = {}) {
  const headers: IncomingMessage['headers'][] = []
  let receive: ((message: unknown) => void) | undefined
  const url = await listen((request, response) => {
    headers.push(request.headers)
    if (request.method === 'GET') void stream(createTestServer(hooks), response)
    else if (request.url === '/messages') void post(request, response)
    else response.writeHead(405).end()
  })

  async function stream(server: McpServer, response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('event: endpoint\ndata: /messages\n\n')
    const transport: Parameters<McpServer['connect']>[0] = {
      async start() {
        receive = message => transport.onmessage?.(message as never)
      },
      async send(message) {
        response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
      },
      async close() {
        response.end()
      },
    }
    await server.connect(transport)
  }

  async function post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    response.writeHead(202).end()
    receive?.(JSON.parse(text))
  }
  return { url, headers }
}
