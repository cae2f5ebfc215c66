/**
 * A server through its whole life: started in the background, listed, called, and restarted with growing delays
 * when it disconnects. Only calls to this server wait for it.
 */
import { type Client, UnauthorizedError } from '@modelcontextprotocol/client'
import { safeTail, untilAborted } from '@toolwire/core'
import { createHeldCalls, type HeldCalls } from './held-calls.ts'
import { BACKOFF, type Backoff, createLink, type Link } from './link.ts'
import { type ListedTool, listTools, type ToolList } from './list-tools.ts'
import type { McpAnswer } from './mcp-request.ts'
import type { SignIn } from './oauth/sign-in.ts'
import { type OpenServer, openServer, toSignInNeeded } from './open-server.ts'
import { isGone, isUnknownSession, type McpCall, sendCall } from './send-call.ts'
import type { McpServerConfig } from './server-config.ts'
import type { StartedServers } from './started-servers.ts'

export interface McpStatus {
  readonly name: string
  /** `needs_auth`: a user has to open `authorization_url` in a browser. */
  readonly state: 'connecting' | 'ready' | 'waiting' | 'needs_auth' | 'closed'
  readonly tools: number
  /** Tools that the server listed but that cannot be used. */
  readonly skipped: number
  readonly resources: boolean
  readonly prompts: boolean
  readonly era?: 'legacy' | 'modern'
  readonly version?: string
  readonly authorization_url?: string
  /** The current or latest reason that it is not ready. */
  readonly error?: string
}

export interface Connection {
  readonly name: string
  readonly config: McpServerConfig
  readonly status: () => McpStatus
  /** The last known list, also while the server is away. The same array until it changes. */
  readonly tools: () => readonly ListedTool[]
  /** Connects first when there is no connection. Throws what the protocol throws; the call's signal ends it. */
  readonly call: (call: McpCall) => Promise<McpAnswer>
  /** Does something else with the server; connects first. Throws what the protocol throws. */
  readonly use: <T>(does: (client: Client) => Promise<T>, signal: AbortSignal) => Promise<T>
  /** Requests that wait for a person. */
  readonly held: HeldCalls
  /** Tries to connect now, without waiting for the next attempt. Never throws. */
  readonly retry: () => void
  /** Ends everything, the process of a local server included. Idempotent. */
  readonly close: () => Promise<void>
}

export interface ConnectionOptions {
  readonly name: string
  readonly config: McpServerConfig
  readonly signIn?: SignIn | undefined
  readonly backoff?: Partial<Backoff> | undefined
  readonly started?: StartedServers | undefined
  /** Addresses of folders, for servers that ask outside any call. */
  readonly roots?: readonly string[] | undefined
  readonly onChange: () => void
}

const ERROR_OUTPUT = 2_000
const HOLD_MS = 3_600_000

/** Begins to connect at once. */
export function createConnection(options: ConnectionOptions): Connection {
  const { name, config, onChange, signIn } = options
  const held = createHeldCalls(config.hold_ms ?? HOLD_MS)
  const known = { list: NO_TOOLS, legacy: false, errorOutput: '', offers: NO_OFFERS }
  const closing = Promise.withResolvers<void>()

  async function open(signal: AbortSignal): Promise<OpenServer> {
    known.errorOutput = ''
    const server = await openServer({
      name,
      config,
      legacy: known.legacy,
      signIn,
      started: options.started,
      roots: options.roots ?? [],
      signal,
      onChanged: (client, what) => void relist(client, what),
      onErrorOutput: text => {
        known.errorOutput = safeTail(known.errorOutput + text, ERROR_OUTPUT)
      },
    })
    server.client.onclose = () => link.lose(server, new Error('The server went away.'))
    const legacy = server.client.getProtocolEra() === 'legacy'
    Object.assign(known, { list: server.list, offers: server.offers, legacy })
    return server
  }

  async function relist(client: Client, what: 'tools' | 'prompts' | 'resources'): Promise<void> {
    if (what !== 'tools') return onChange()
    try {
      known.list = await listTools(client)
      onChange()
    } catch (error) {
      const server = link.current()
      if (server?.client === client) link.lose(server, error)
    }
  }

  /** Calls that still run on a lost connection may yet be answered: they are waited for, unless all is closed. */
  async function end({ client, calls }: OpenServer): Promise<void> {
    await Promise.race([Promise.allSettled(calls), closing.promise])
    await client.close()
  }

  const link = createLink<OpenServer>({ open, end, backoff: { ...BACKOFF, ...options.backoff }, onChange })

  async function close(): Promise<void> {
    closing.resolve()
    held.close()
    await link.close()
  }

  return {
    name,
    config,
    status: () => describeStatus(options, link, known),
    tools: () => known.list.tools,
    call: request => callOn(link, request, options),
    use: (does, signal) => useOn(link, does, signal),
    held,
    retry: () => void link.get().catch(() => undefined),
    close,
  }
}

const NO_TOOLS: ToolList = { tools: [], skipped: 0 }
const NO_OFFERS: OpenServer['offers'] = { resources: false, prompts: false }

async function callOn(
  link: Link<OpenServer>,
  request: McpCall,
  options: ConnectionOptions,
): Promise<McpAnswer> {
  const { signal } = request.voice
  const server = await untilAborted(link.get(), signal)
  try {
    return await tracked(server, request, options)
  } catch (error) {
    if (signal.aborted) throw error
    const isSignedOut = UnauthorizedError.isInstance(error)
    if (isSignedOut || isGone(error)) link.lose(server, error)
    // Only a session that the server no longer knows: it cannot have run the call.
    if (!isUnknownSession(error)) throw toSignInNeeded(error, options)
    return await tracked(await untilAborted(link.get(), signal), request, options)
  }
}

async function tracked(
  { client, askers, calls }: OpenServer,
  request: McpCall,
  { config }: ConnectionOptions,
): Promise<McpAnswer> {
  const answer = sendCall(client, request, config, askers)
  calls.add(answer)
  try {
    return await answer
  } finally {
    calls.delete(answer)
  }
}

async function useOn<T>(
  link: Link<OpenServer>,
  does: (client: Client) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const server = await untilAborted(link.get(), signal)
  try {
    return await untilAborted(does(server.client), signal)
  } catch (error) {
    if (!signal.aborted && isGone(error)) link.lose(server, error)
    throw error
  }
}

function describeStatus(
  { name, signIn }: ConnectionOptions,
  link: Link<OpenServer>,
  known: { readonly list: ToolList; readonly errorOutput: string; readonly offers: OpenServer['offers'] },
): McpStatus {
  const client = link.current()?.client
  const era = client?.getProtocolEra()
  const version = client?.getNegotiatedProtocolVersion()
  const error = link.error()
  const state = link.state()
  const url = state === 'ready' || state === 'closed' ? undefined : signIn?.url()
  return {
    name,
    state: url ? 'needs_auth' : state,
    tools: known.list.tools.length,
    skipped: known.list.skipped,
    ...known.offers,
    ...(era ? { era } : {}),
    ...(version ? { version } : {}),
    ...(url ? { authorization_url: url } : {}),
    ...(error === undefined ? {} : { error: describe(error, known.errorOutput) }),
  }
}

function describe(error: unknown, errorOutput: string): string {
  const said = error instanceof Error ? error.message : String(error)
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  const output = errorOutput.trim()
  return `${said}${cause}${output === '' ? '' : `\n${output}`}`
}
