/** What the routes share. Made once by `createServer`, closed by it. */
import type { Ids, Records, Store } from '@toolwire/core'
import type { Principal } from './access/principal.ts'
import type { Bell } from './bell.ts'
import type { CheckpointCache } from './checkpoint-cache.ts'
import type { ServerConfig } from './config.ts'
import type { Lineage } from './lineage.ts'
import type { LogReader } from './log-reader.ts'
import type { StreamPool } from './stream-pool.ts'
import type { SummaryCache } from './summary-cache.ts'

/** The only upward call: something was appended, so look. Never throws, never blocks. */
export interface Waker {
  wake(session: string): void
}

export interface Clock {
  readonly now: () => Date
}

/** One line per call; fields never hold headers, bodies or query strings. */
export interface Logger {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

export interface ServerContext {
  /** The sessions of the request's principal. */
  readonly store: Store
  readonly records: Records | undefined
  /** Who asks. Throws outside of requests. */
  readonly principal: () => Principal
  readonly runtime: Waker
  readonly config: ServerConfig
  readonly ids: Ids
  readonly clock: Clock
  readonly logger: Logger
  readonly bell: Bell
  readonly streams: StreamPool
  readonly reader: LogReader
  readonly lineage: Lineage
  readonly summaries: SummaryCache
  readonly checkpoints: CheckpointCache
}
