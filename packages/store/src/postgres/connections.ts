/**
 * The connections of one node: one for appends, so that they stay in order; two for heartbeats and
 * notifications, so that no load keeps a lease from being renewed; a few for reads and upkeep.
 */
import pg from 'pg'

export interface Connections {
  readonly writer: pg.Pool
  readonly side: pg.Pool
  readonly readers: pg.Pool
  /** A connection outside of the pools, for listening; not connected yet. The caller ends it. */
  readonly newClient: () => pg.Client
  /** Statement names, or undefined once a pooler in between has refused them. */
  readonly named: (name: string) => string | undefined
  readonly stopNaming: () => void
  readonly close: () => Promise<void>
}

const CONNECT_MS = 3000
/** A partition leaves sockets open and silent: after this the answer is not waited for any longer. */
const ANSWER_MS = 5000
const READERS = 3
const INT8 = 20

/** Whole numbers of 64 bits as numbers: all of ours are safe. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
}

export function createConnections(url: string): Connections {
  const config: pg.ClientConfig = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    application_name: 'toolwire',
    types: TYPES,
  }
  const pool = (max: number): pg.Pool => {
    const made = new pg.Pool({ ...config, max, idleTimeoutMillis: 30_000, allowExitOnIdle: false })
    // The statement in flight reports the loss; an idle connection is simply replaced.
    made.on('error', () => {})
    // Covers connections that are checked out between two statements: an unhandled error would end the process.
    made.on('connect', client => void client.on('error', () => {}))
    return made
  }
  const pools = { writer: pool(1), side: pool(2), readers: pool(READERS) }
  let naming = true
  return {
    ...pools,
    newClient: () => new pg.Client(config),
    named: name => (naming ? name : undefined),
    stopNaming: () => {
      naming = false
    },
    close: async () => {
      await Promise.allSettled(Object.values(pools).map(one => one.end()))
    },
  }
}
