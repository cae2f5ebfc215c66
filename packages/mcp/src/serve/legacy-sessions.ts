/** Sessions of the older era: a client's handshake, kept in this process and bound to the key that opened it. */
import { randomUUID } from 'node:crypto'
import {
  type McpServerFactory,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { ServeContext } from './serve-context.ts'

export interface LegacySessions {
  handle(request: Request, body: unknown): Promise<Response>
  close(): Promise<void>
}

export interface LegacyOptions {
  readonly serving: ServeContext
  readonly factory: McpServerFactory
  readonly heartbeatMs: number
}

interface LegacySession {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: Server
  readonly caller: string
  /** Requests in progress and open streams. */
  open: number
}

/** Sessions of one caller, and of all: above that the one that was idle longest is closed. */
const MAX_OF_CALLER = 100
const MAX_SESSIONS = 1_000
const SESSION_HEADER = 'mcp-session-id'

export function createLegacySessions({ serving, factory, heartbeatMs }: LegacyOptions): LegacySessions {
  /** The one that was used last comes last. */
  const sessions = new Map<string, LegacySession>()

  async function open(request: Request): Promise<LegacySession> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      keepAliveMs: heartbeatMs,
      onsessioninitialized: id => void sessions.set(id, session),
      onsessionclosed: id => void sessions.delete(id),
    })
    const server = (await factory({ era: 'legacy', requestInfo: request })) as Server
    const session: LegacySession = { transport, server, caller: serving.host.caller(), open: 0 }
    await server.connect(transport)
    return session
  }
  /** Undefined for an id of another key, node or time. */
  function find(id: string): LegacySession | undefined {
    const session = sessions.get(id)
    if (session?.caller !== serving.host.caller()) return undefined
    sessions.delete(id)
    sessions.set(id, session)
    return session
  }
  function makeRoom(): void {
    const caller = serving.host.caller()
    const own = [...sessions].filter(([, session]) => session.caller === caller)
    if (own.length >= MAX_OF_CALLER) closeIdle(own)
    if (sessions.size >= MAX_SESSIONS) closeIdle([...sessions])
  }
  function closeIdle(candidates: readonly (readonly [string, LegacySession])[]): void {
    const [id, session] = candidates.find(([, one]) => one.open === 0) ?? candidates[0] ?? []
    if (id === undefined || !session) return
    sessions.delete(id)
    void session.server.close().catch(() => {})
  }

  return {
    async handle(request, body) {
      const id = request.headers.get(SESSION_HEADER)
      if (id === null && !isInitialize(body))
        return reject(400, -32000, `The header ${SESSION_HEADER} is missing.`)
      if (id === null) makeRoom()
      const session = id === null ? await open(request) : find(id)
      if (!session) return reject(404, -32001, 'Session not found')
      session.open += 1
      const response = await session.transport
        .handleRequest(request, { parsedBody: body })
        .catch((error: unknown) => {
          session.open -= 1
          throw error
        })
      return onEnd(response, () => {
        session.open -= 1
      })
    },
    async close() {
      const all = [...sessions.values()]
      sessions.clear()
      await Promise.allSettled(all.map(({ server }) => server.close()))
    },
  }
}

const isInitialize = (body: unknown): boolean => Object(body).method === 'initialize'

const reject = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status })

/** The same response; `done` is called once its body is read or cancelled. */
function onEnd(response: Response, done: () => void): Response {
  const { body, status, headers } = response
  if (!body) {
    done()
    return response
  }
  const reader = body.getReader()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done: isOver } = await reader.read().catch((error: unknown) => {
        done()
        throw error
      })
      if (value) controller.enqueue(value)
      if (!isOver) return
      done()
      controller.close()
    },
    async cancel(reason) {
      done()
      await reader.cancel(reason)
    },
  })
  return new Response(stream, { status, headers })
}
