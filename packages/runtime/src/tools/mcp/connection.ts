/**
 * A server through its whole life: started in the background, listed, called, and started anew
 * with growing pauses when it goes away. Nobody ever waits for it but the calls that need it.
 */
import {
  type AuthProvider,
  type CallToolResult,
  type Client,
  type Progress,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client'
import { safeTail } from '../cut-text.ts'
import { connectClient } from './connect-client.ts'
import { BACKOFF, type Backoff, createLink } from './link.ts'
import { type ListedTool, listTools, type ToolList } from './list-tools.ts'
import type { McpServerConfig } from './server-config.ts'

export interface McpStatus {
  readonly name: string
  readonly state: 'connecting' | 'ready' | 'waiting' | 'closed'
  readonly tools: number
  /** Tools that the server listed but that cannot be used. */
  readonly skipped: number
  readonly era?: 'legacy' | 'modern'
  readonly version?: string
  /** Why it is not ready, or was not the last time. */
  readonly error?: string
}

interface McpCall {
  readonly tool: ListedTool
  readonly input: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

export interface Connection {
  readonly name: string
  readonly config: McpServerConfig
  readonly status: () => McpStatus
  /** The last known list, also while the server is away. The same array until it changes. */
  readonly tools: () => readonly ListedTool[]
  /** Connects first when there is no connection. Throws what the protocol throws; the signal ends it. */
  readonly call: (call: McpCall) => Promise<CallToolResult>
  /** Ends everything, the process of a local server included. Idempotent. */
  readonly close: () => Promise<void>
}

export interface ConnectionOptions {
  readonly name: string
  readonly config: McpServerConfig
  readonly auth?: AuthProvider | undefined
  readonly backoff?: Partial<Backoff> | undefined
  readonly onChange: () => void
}

const IDLE_MS = 60_000
const MAX_TOTAL_MS = 30 * 60_000
const ERROR_OUTPUT = 2_000

/** Begins to connect at once. */
export function createConnection(options: ConnectionOptions): Connection {
  const { name, config, onChange } = options
  let list: ToolList = { tools: [], skipped: 0 }
  let legacy = false
  let errorOutput = ''

  async function open(signal: AbortSignal): Promise<Client> {
    errorOutput = ''
    const client = await connectClient({
      config,
      legacy,
      auth: options.auth,
      signal,
      onToolsChanged: () => void relist(client),
      onErrorOutput: text => {
        errorOutput = safeTail(errorOutput + text, ERROR_OUTPUT)
      },
    })
    try {
      list = await listTools(client)
    } catch (error) {
      await client.close().catch(() => undefined)
      throw error
    }
    client.onclose = () => link.lose(client, new Error('The server went away.'))
    legacy = client.getProtocolEra() === 'legacy'
    return client
  }

  async function relist(client: Client): Promise<void> {
    try {
      list = await listTools(client)
      onChange()
    } catch (error) {
      link.lose(client, error)
    }
  }

  const backoff = { ...BACKOFF, ...options.backoff }
  const running = new Map<Client, Set<Promise<unknown>>>()
  const closing = Promise.withResolvers<void>()

  /** Calls that still run on a lost connection may yet be answered: they are waited for, unless all is closed. */
  async function end(client: Client): Promise<void> {
    await Promise.race([Promise.allSettled(running.get(client) ?? []), closing.promise])
    await client.close()
  }

  const link = createLink<Client>({ open, end, backoff, onChange })

  async function tracked(client: Client, request: McpCall): Promise<CallToolResult> {
    const calls = running.get(client) ?? new Set()
    const answer = send(client, request, config)
    running.set(client, calls.add(answer))
    try {
      return await answer
    } finally {
      calls.delete(answer)
      if (calls.size === 0) running.delete(client)
    }
  }

  async function call(request: McpCall): Promise<CallToolResult> {
    const client = await unlessAborted(link.get(), request.signal)
    try {
      return await tracked(client, request)
    } catch (error) {
      if (request.signal.aborted || !isGone(error)) throw error
      link.lose(client, error)
      // Only a session that the server no longer knows: it cannot have run the call.
      if (!isUnknownSession(error)) throw error
      return await tracked(await unlessAborted(link.get(), request.signal), request)
    }
  }

  function status(): McpStatus {
    const era = link.current()?.getProtocolEra()
    const version = link.current()?.getNegotiatedProtocolVersion()
    const error = link.error()
    return {
      name,
      state: link.state(),
      tools: list.tools.length,
      skipped: list.skipped,
      ...(era ? { era } : {}),
      ...(version ? { version } : {}),
      ...(error === undefined ? {} : { error: describe(error, errorOutput) }),
    }
  }

  async function close(): Promise<void> {
    closing.resolve()
    await link.close()
  }

  return { name, config, status, tools: () => list.tools, call, close }
}

async function send(client: Client, call: McpCall, config: McpServerConfig): Promise<CallToolResult> {
  const { tool, input, signal, onProgress } = call
  // Without its output schema: a result that breaks it is still a result.
  const toolDefinition = { name: tool.name, inputSchema: { ...tool.input_schema, type: 'object' as const } }
  return await client.callTool(
    { name: tool.name, arguments: { ...input } },
    {
      signal,
      toolDefinition,
      onprogress: onProgress,
      timeout: config.timeout_ms ?? IDLE_MS,
      resetTimeoutOnProgress: true,
      maxTotalTimeout: config.max_total_ms ?? MAX_TOTAL_MS,
    },
  )
}

const isUnknownSession = (error: unknown): boolean => SdkHttpError.isInstance(error) && error.status === 404

/** The connection is no more, as opposed to an answer that says no. */
function isGone(error: unknown): boolean {
  if (isUnknownSession(error)) return true
  if (SdkError.isInstance(error))
    return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected
  // A failed fetch.
  return error instanceof TypeError
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function describe(error: unknown, errorOutput: string): string {
  const said = error instanceof Error ? error.message : String(error)
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  const output = errorOutput.trim()
  return `${said}${cause}${output === '' ? '' : `\n${output}`}`
}
