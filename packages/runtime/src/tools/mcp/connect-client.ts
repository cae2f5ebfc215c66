/** One connection to a server, of whatever transport and protocol era it speaks. */
import {
  type AuthProvider,
  Client,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createBoundedFetch, MAX_MESSAGE_BYTES } from './bounded-fetch.ts'
import type { McpServerConfig } from './server-config.ts'

export interface ConnectOptions {
  readonly config: McpServerConfig
  /** The server is known to be of the older era, from an earlier connection. */
  readonly legacy: boolean
  readonly auth?: AuthProvider | undefined
  /** Gives up an attempt under way. */
  readonly signal: AbortSignal
  /** The server says that its tools are others now. */
  readonly onToolsChanged: () => void
  /** What a local server writes to its error output. */
  readonly onErrorOutput: (text: string) => void
}

const STARTUP_MS = 30_000
/** Servers of the older era may keep silent when asked for the newer one. */
const PROBE_MS = 10_000

/** Throws what connecting throws; then nothing is left open. The caller closes the client. */
export async function connectClient(options: ConnectOptions): Promise<Client> {
  const { config } = options
  if (config.type === 'stdio') return await connectStdio(options, config)
  if (config.type === 'sse') return await connectSse(options, config)
  try {
    const { url, headers } = config
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      fetch: createBoundedFetch(),
      requestInit: { headers },
      ...(options.auth ? { authProvider: options.auth } : {}),
    })
    return await connect(createClient(options), transport, options)
  } catch (error) {
    // So answers a server that knows only the oldest way over HTTP.
    if (!(SdkHttpError.isInstance(error) && [400, 404, 405, 406].includes(error.status))) throw error
    return await connectSse(options, config).catch(() => {
      throw error
    })
  }
}

type Of<T extends McpServerConfig['type']> = Extract<McpServerConfig, { readonly type: T }>

async function connectStdio(options: ConnectOptions, config: Of<'stdio'>): Promise<Client> {
  const { command, args, env, cwd } = config
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    // Not the server's own environment: that holds keys.
    env: { ...getDefaultEnvironment(), ...env },
    stderr: 'pipe',
    maxBufferSize: MAX_MESSAGE_BYTES,
    ...(cwd === undefined ? {} : { cwd }),
  })
  transport.stderr?.on('data', (chunk: Buffer) => options.onErrorOutput(chunk.toString('utf8')))
  return await connect(createClient(options), transport, options)
}

async function connectSse(options: ConnectOptions, config: Of<'http' | 'sse'>): Promise<Client> {
  const { url, headers } = config
  const fetch = createBoundedFetch()
  const transport = new SSEClientTransport(new URL(url), {
    fetch,
    requestInit: { headers },
    eventSourceInit: {
      fetch: (to, init) => fetch(to, { ...init, headers: { ...init?.headers, ...headers } }),
    },
    ...(options.auth ? { authProvider: options.auth } : {}),
  })
  return await connect(createClient({ ...options, legacy: true }), transport, { ...options, legacy: true })
}

function createClient({ onToolsChanged, legacy, config }: ConnectOptions): Client {
  const timeoutMs = Math.min(PROBE_MS, config.startup_timeout_ms ?? STARTUP_MS)
  return new Client(
    { name: 'toolwire', version: '0.1.0' },
    {
      versionNegotiation: legacy ? { mode: 'legacy' } : { mode: 'auto', probe: { timeoutMs } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 50, onChanged: () => onToolsChanged() } },
    },
  )
}

async function connect(
  client: Client,
  transport: Parameters<Client['connect']>[0],
  { config, signal }: ConnectOptions,
): Promise<Client> {
  const timeout = config.startup_timeout_ms ?? STARTUP_MS
  // Only closing the transport ends the question for the era.
  const giveUp = (): void => void transport.close().catch(() => undefined)
  try {
    signal.throwIfAborted()
    signal.addEventListener('abort', giveUp, { once: true })
    await client.connect(transport, { timeout, signal })
    return client
  } catch (error) {
    await client.close().catch(() => undefined)
    await transport.close().catch(() => undefined)
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
