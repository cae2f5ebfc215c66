/** Services that the routes share. Created by `createServer`, closed by it. */
import type { FileStore, Ids, Records, Store } from '@toolwire/core'
import type { Sessions, Waker } from '@toolwire/session'
import type { Credentials } from './access/credentials.ts'
import type { OpenRequests } from './access/open-requests.ts'
import type { Principal } from './access/principal.ts'
import type { ServerPorts } from './ports.ts'
import type { ServerSettings } from './settings.ts'
import type { Lineage } from './stream/lineage.ts'
import type { StreamPool } from './stream/stream-pool.ts'

export interface Clock {
  readonly now: () => Date
}

/** One line per call; fields never hold headers, bodies or query strings. */
export interface Logger {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** A store without its only write: routes append through `sessions`. */
export type SessionStore = Omit<Store, 'append'>

export interface ServerContext {
  /** The sessions of the request's principal. */
  readonly store: SessionStore
  /** Appends to sessions of the request's principal; follows and reads those that a route has found. */
  readonly sessions: Sessions
  readonly records: Records | undefined
  readonly files: FileStore | undefined
  /** The caller. Throws outside of requests. */
  readonly principal: () => Principal
  readonly credentials: Pick<Credentials, 'findHolder' | 'makeToken'>
  /** The access check adds every request that comes with a key; routes that need none add theirs. */
  readonly openRequests: Pick<OpenRequests, 'add'>
  readonly runtime: Waker
  readonly settings: ServerSettings
  readonly ports: ServerPorts
  readonly ids: Ids
  readonly clock: Clock
  readonly logger: Logger
  readonly streams: StreamPool
  readonly lineage: Lineage
}
