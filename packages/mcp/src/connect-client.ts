/** One connection to a server, of whatever transport and protocol era it speaks. */
import {
  Client,
  type CreateMessageRequest,
  type CreateMessageResult,
  type ElicitRequestParams,
  type ElicitResult,
  type OAuthClientProvider,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { refreshOnce } from './oauth/refresh-once.ts'
import { issuerCheck } from './oauth/sign-in.ts'
import { readUnknownContent } from './readable-content.ts'
import type { McpServerConfig } from './server-config.ts'
import { createServerFetch } from './server-fetch.ts'
import type { StartedServers } from './started-servers.ts'
import { createStdioTransport } from './stdio-transport.ts'
import { PAGE_TYPE, UI_EXTENSION } from './tool-ui.ts'

/** Requests that a server may send over the connection. */
interface ServerRequests {
  readonly elicit: (params: ElicitRequestParams, signal: AbortSignal) => Promise<ElicitResult>
  /** Addresses of the folders that the server may work in. Absent: roots are not offered. */
  readonly roots?: (() => readonly string[]) | undefined
  /** Absent: sampling is not offered. */
  readonly sample?:
    | ((params: CreateMessageRequest['params'], signal: AbortSignal) => Promise<CreateMessageResult>)
    | undefined
}

export interface ConnectOptions {
  readonly config: McpServerConfig
  /** The server is known to be of the older era, from an earlier connection. */
  readonly legacy: boolean
  readonly auth?: OAuthClientProvider | undefined
  readonly started?: StartedServers | undefined
  readonly requests: ServerRequests
  /** Aborts an attempt in progress. */
  readonly signal: AbortSignal
  /** The server's lists have changed; several changes at once are reported once. */
  readonly onChanged: (list: 'tools' | 'prompts' | 'resources') => void
  /** The error output of a local server. */
  readonly onErrorOutput: (text: string) => void
}

const STARTUP_MS = 30_000
/** Servers of the older era may keep silent when asked for the newer one. */
const PROBE_MS = 10_000
const COALESCE_MS = 50

/** Throws what connecting throws; then nothing is left open. The caller closes the client. */
export async function connectClient(options: ConnectOptions): Promise<Client> {
  const { config } = options
  if (config.type === 'stdio') return await connectStdio(options, config)
  if (config.type === 'sse') return await connectSse(options, config)
  if (config.type === 'in_process')
    return await connect(createClient(options), await config.connect(), options)
  try {
    const { url, headers } = config
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      fetch: refreshOnce(createServerFetch(url)),
      requestInit: { headers },
      ...(options.auth ? { authProvider: options.auth } : {}),
      ...issuerCheck(config),
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

/** A server that dies of the question for the newer era is started again as one of the older. */
async function connectStdio(options: ConnectOptions, config: Of<'stdio'>): Promise<Client> {
  const { onErrorOutput, started, signal } = options
  const open = (legacy: boolean): Promise<Client> => {
    const chosen = { ...options, legacy }
    return connect(createClient(chosen), createStdioTransport({ config, onErrorOutput, started }), chosen)
  }
  if (options.legacy) return await open(true)
  try {
    return await open(false)
  } catch (error) {
    const unclear = SdkError.isInstance(error) && error.code === SdkErrorCode.EraNegotiationFailed
    if (!unclear || signal.aborted) throw error
    return await open(true)
  }
}

async function connectSse(options: ConnectOptions, config: Of<'http' | 'sse'>): Promise<Client> {
  const { url, headers } = config
  const fetch = refreshOnce(createServerFetch(url))
  const transport = new SSEClientTransport(new URL(url), {
    fetch,
    requestInit: { headers },
    eventSourceInit: {
      fetch: (to, init) => fetch(to, { ...init, headers: { ...init?.headers, ...headers } }),
    },
    ...(options.auth ? { authProvider: options.auth } : {}),
    ...issuerCheck(config),
  })
  return await connect(createClient({ ...options, legacy: true }), transport, { ...options, legacy: true })
}

function createClient({ onChanged, legacy, config, requests }: ConnectOptions): Client {
  const timeoutMs = Math.min(PROBE_MS, config.startup_timeout_ms ?? STARTUP_MS)
  const told = (list: Parameters<typeof onChanged>[0]) => ({
    autoRefresh: false,
    debounceMs: COALESCE_MS,
    onChanged: () => onChanged(list),
  })
  const { elicit, roots, sample } = requests
  const client = new Client(
    { name: 'toolwire', version: '0.1.0' },
    {
      capabilities: {
        elicitation: { form: {}, url: {} },
        ...(roots ? { roots: {} } : {}),
        extensions: { [UI_EXTENSION]: { mimeTypes: [PAGE_TYPE] } },
        ...(sample ? { sampling: {} } : {}),
      },
      versionNegotiation: legacy ? { mode: 'legacy' } : { mode: 'auto', probe: { timeoutMs } },
      // A question is a pause of the session, not something to wait for inside a request.
      inputRequired: { autoFulfill: false },
      listChanged: { tools: told('tools'), prompts: told('prompts'), resources: told('resources') },
    },
  )
  client.setRequestHandler('elicitation/create', (request, { mcpReq }) =>
    elicit(request.params, mcpReq.signal),
  )
  if (roots) client.setRequestHandler('roots/list', async () => ({ roots: roots().map(uri => ({ uri })) }))
  if (sample)
    client.setRequestHandler('sampling/createMessage', (request, { mcpReq }) =>
      sample(request.params, mcpReq.signal),
    )
  return client
}

async function connect(
  client: Client,
  transport: Transport,
  { config, signal }: ConnectOptions,
): Promise<Client> {
  const timeout = config.startup_timeout_ms ?? STARTUP_MS
  // Only closing the transport ends the question for the era.
  const giveUp = (): void => void transport.close().catch(() => undefined)
  try {
    signal.throwIfAborted()
    signal.addEventListener('abort', giveUp, { once: true })
    await client.connect(transport, { timeout, signal })
    readUnknownContent(transport)
    return client
  } catch (error) {
    await client.close().catch(() => undefined)
    await transport.close().catch(() => undefined)
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
