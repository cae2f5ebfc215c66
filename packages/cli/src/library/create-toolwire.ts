/**
 * Toolwire inside of another program: the server behind `node` and `handler`, and its sessions without HTTP. Nothing is
 * opened, read or printed before `ready`, the first request, or the first call in process.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Client, createClient, ToolwireError } from '@toolwire/client'
import {
  APPLICATION,
  type HostUrl,
  LOCAL_OPERATOR,
  OWNER_RULE,
  OwnerName,
  type Principal,
  type Scope,
  toUser,
} from '@toolwire/server'
import { createInstance, type Instance } from '../instance.ts'
import type { OpenedProduct } from '../open-product.ts'
import { guardLogger } from './guard-logger.ts'
import { readOptions, requireScopes } from './read-options.ts'
import type { ProgramParts } from './to-blueprint.ts'
import type { ToolwireOptions } from './toolwire-options.ts'

/** A caller of this process. */
export interface ProcessCaller {
  readonly owner: string
  /** `read`, `write` and `approve` when absent. */
  readonly scopes?: readonly Scope[]
}

export interface ListenOptions {
  /** 127.0.0.1 when absent. Another one needs `authenticate`, `auth` or `apiKeys`. */
  readonly host?: string
  /** A free one when absent. */
  readonly port?: number
}

export interface Toolwire {
  /**
   * Serves a request of a Node server, or of Express and its like below a mount point. Outside of the base path it
   * calls `next`, or responds with 404.
   */
  readonly node: (
    request: IncomingMessage & HostUrl,
    response: ServerResponse,
    next?: (error?: unknown) => void,
  ) => void
  /** Serves a request of a host that speaks fetch. Needs `authenticate`, `auth`, `apiKeys` or `access`. */
  readonly handler: (request: Request) => Promise<Response>
  /** The same function: `export default` of this object is a server in Bun. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Binds a Node server. Returns the base URL. */
  readonly listen: (options?: ListenOptions) => Promise<string>
  /** Opens everything. Rejects with a code when that fails; a later call tries again. */
  readonly ready: () => Promise<void>
  /** Ends streams, hands runs over to the next start and closes the data. Every call waits for the same end. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
  /** The client of one owner, without HTTP: the same methods, errors and scope checks. */
  readonly as: (caller: ProcessCaller) => Client
  /** The sessions of all owners. */
  readonly sessions: Client['sessions']
  /** Browser tokens for users whom the application has signed in. */
  readonly tokens: Pick<Client['tokens'], 'create' | 'revoke'>
  /** The description of the API. */
  readonly openapi: () => Promise<object>
}

/** Throws TypeError for an option that cannot work. */
export function createToolwire(options: ToolwireOptions = {}): Toolwire {
  const checked = readOptions(options)
  return checked.key === undefined
    ? createProgram(checked, () => checked)
    : shareProgram(checked.key, checked)
}

interface SharedProgram {
  readonly toolwire: Toolwire
  readonly replace: (options: ToolwireOptions) => void
  /** Set when it is closing; the next instance of this name opens the same data afterwards. */
  readonly ended: Promise<unknown> | undefined
}

/**
 * The instance of this name in the process. Hosts evaluate a module again, beside itself or after an edit: the store
 * and the runs stay, and tools, models and sign-in are those of the latest call.
 */
function shareProgram(key: string, options: ToolwireOptions): Toolwire {
  const name = Symbol.for(`toolwire:${key}`)
  const shared = globalThis as { [name: symbol]: SharedProgram | undefined }
  const known = shared[name]
  if (known && !known.ended) {
    known.replace(options)
    return known.toolwire
  }
  let latest = options
  const program = createProgram(options, () => latest, known?.ended)
  function close(): Promise<void> {
    const closing = program.close()
    const current = shared[name]
    // A later instance of this name stays.
    if (current?.toolwire === toolwire) shared[name] = { ...current, ended: Promise.allSettled([closing]) }
    return closing
  }
  const toolwire = { ...program, close, [Symbol.asyncDispose]: close }
  shared[name] = {
    toolwire,
    ended: undefined,
    replace(next) {
      requireSameOpening(key, latest, next)
      latest = next
    },
  }
  return toolwire
}

/** Throws TypeError for what a running instance cannot change. */
function requireSameOpening(key: string, latest: ToolwireOptions, next: ToolwireOptions): void {
  if ((next.authenticate === undefined) !== (latest.authenticate === undefined))
    throw new TypeError(`authenticate must be given in every call with the key "${key}", or in none.`)
  if ((next.basePath ?? '') !== (latest.basePath ?? ''))
    throw new TypeError(
      `basePath must be the same in every call with the key "${key}": close the instance, or restart the process.`,
    )
}

/** Opens nothing before `after` has settled. */
function createProgram(
  options: ToolwireOptions,
  latest: () => ToolwireOptions,
  after?: Promise<unknown>,
): Toolwire {
  const logger = guardLogger(() => latest().logger)
  const instance = createInstance({
    basePath: options.basePath ?? '',
    open: async () => {
      await after
      return await open({ options, latest, logger })
    },
    onError: error => logger.error({}, `The server could not start: ${String(error)}`),
  })
  const { node, ready, close } = instance
  const handler = async (request: Request): Promise<Response> => await instance.handler(request)
  const clientOf = (principal: Principal): Client => inProcess(instance, principal)
  return {
    node,
    ready,
    close,
    handler,
    fetch: handler,
    [Symbol.asyncDispose]: close,
    listen: async ({ host = '127.0.0.1', port = 0 } = {}) => await instance.listen({ host, port }),
    as({ owner, scopes = undefined }) {
      if (!OwnerName.safeParse(owner).success) throw new TypeError(`owner must be ${OWNER_RULE}.`)
      requireScopes(scopes ?? [])
      return clientOf(toUser(owner, scopes))
    },
    sessions: clientOf(LOCAL_OPERATOR).sessions,
    tokens: clientOf(APPLICATION).tokens,
    openapi: async () => await (await instance.opened()).server.openapi(),
  }
}

/** The product is large: it is loaded when it is opened. */
async function open(parts: ProgramParts): Promise<OpenedProduct> {
  const [{ openProduct }, { toBlueprint }] = await Promise.all([
    import('../open-product.ts'),
    import('./to-blueprint.ts'),
  ])
  try {
    return await openProduct(toBlueprint(parts))
  } catch (error) {
    throw toError(error)
  }
}

/** The code of an error, or of its cause, stays. */
function toError(error: unknown): Error {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  const code = codeOf(error) ?? codeOf(cause) ?? 'bad_options'
  const hint = code === 'store_locked' ? '. In one process, share one instance by the option key.' : ''
  return new ToolwireError(code, message + hint, { cause: error })
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** An address that no network sees; the base path does not apply to it. */
const IN_PROCESS = 'http://in-process.invalid'

function inProcess(instance: Instance, principal: Principal): Client {
  return createClient({
    baseUrl: IN_PROCESS,
    // Without a network between, a failure is no accident that a retry repairs.
    retries: 0,
    fetch: async (input, init) => await instance.handler(new Request(input, init), principal),
  })
}
