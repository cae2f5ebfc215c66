/** Real servers on one real database, and the few requests that the tests of many nodes make. */
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Rec, SessionRow, Store } from '@toolwire/core'
import { openPostgresStore } from '@toolwire/store'
import { type Cluster, createCluster } from '../../../store/test/postgres/cluster.ts'
import { createTestDatabase, type TestDatabase } from '../../../store/test/postgres/test-database.ts'
import { type Launched, launch } from '../launch.ts'

export interface Fleet {
  /** Where the servers' tools work. */
  readonly workspace: string
  readonly database: TestDatabase
  /** The tests' own eyes on the log. */
  readonly store: Store
  /** Starts one more server, with data and workspace in the shared folder. */
  readonly start: (env?: Record<string, string>) => Promise<Launched>
  readonly close: () => Promise<void>
}

/** Short, so that a take-over need not be waited for long. */
export const LEASE_MS = 2000

/** A database and a folder; `close` ends every server that was started, also one that was stopped, and removes both. */
export async function openFleet(given?: TestDatabase): Promise<Fleet> {
  const database = given ?? (await createTestDatabase())
  const store = await openPostgresStore({ url: database.url })
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-fleet-'))
  const workspace = join(dir, 'workspace')
  mkdirSync(workspace)
  const nodes: Launched[] = []
  return {
    workspace,
    database,
    store,
    async start(env = {}) {
      const settings = {
        DATABASE_URL: database.url,
        TOOLWIRE_LEASE_MS: String(LEASE_MS),
        TOOLWIRE_DRAIN_MS: '0',
        TOOLWIRE_WORKSPACE: workspace,
        TOOLWIRE_PERMISSION_MODE: 'bypassPermissions',
      }
      const node = await launch(dir, ['--port', '0'], { ...settings, ...env })
      nodes.push(node)
      return node
    },
    async close() {
      await Promise.all(nodes.map(node => node.stop('SIGKILL')))
      await store.close()
      await database.drop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/**
 * A separate database server, whose commits wait for the disk, and a fleet on it. `close` ends and removes both.
 */
export async function openFleetAndCluster(): Promise<{
  readonly cluster: Cluster
  readonly fleet: Fleet
  readonly close: () => Promise<void>
}> {
  const cluster = await createCluster({ dir: mkdtempSync(join(tmpdir(), 'toolwire-pg-')), fsync: true })
  try {
    await cluster.start()
    const fleet = await openFleet(await createTestDatabase(`${cluster.url}/postgres`))
    const close = async (): Promise<void> => {
      await cluster.start()
      await fleet.close()
      await cluster.remove()
    }
    return { cluster, fleet, close }
  } catch (error) {
    await cluster.remove()
    throw error
  }
}

/** A JSON answer and its status. Throws when the server cannot be reached. */
export async function ask<T>(
  node: Launched,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: T }> {
  const response = await fetch(`${node.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as T }
}

/** A server that has no database at the moment is asked again. Throws when it refuses for another reason. */
export async function newSession(node: Launched, body: object = {}): Promise<string> {
  for (;;) {
    const answer = await ask<{ readonly id?: string }>(node, '/api/sessions', body)
    if (answer.body.id !== undefined) return answer.body.id
    if (answer.status < 500) throw new Error(`no session: ${JSON.stringify(answer)}`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

/** Sends a message, again while the server cannot store it, and does not wait for its answer. */
export function say(node: Launched, session_id: string, message: string, more: object = {}): void {
  const body = JSON.stringify({ session_id, message, ...more })
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
  async function send(): Promise<void> {
    const response = await fetch(`${node.url}/api/chat/stream`, { method: 'POST', headers, body })
    await response.text()
    if (response.status < 500) return
    await new Promise(resolve => setTimeout(resolve, 50))
    await send()
  }
  // A killed server interrupts its response; the message is stored.
  void send().catch(() => {})
}

export interface Frame {
  readonly id: string
  readonly data: { readonly type: string; readonly [field: string]: unknown }
  /** As it came. */
  readonly text: string
}

/** Follows a session through one wire until `until` says so; a broken connection or an end ends it too. */
export async function watch(
  node: Launched,
  session: string,
  until: (frame: Frame) => boolean,
  from: { readonly wire?: string; readonly after?: string; readonly idleMs?: number } = {},
): Promise<readonly Frame[]> {
  const frames: Frame[] = []
  const stop = new AbortController()
  // A server that sleeps keeps its connections open and says nothing.
  const idle = from.idleMs === undefined ? undefined : setInterval(() => stop.abort(), from.idleMs)
  try {
    const response = await fetch(
      `${node.url}/api/sessions/${session}/events?wire=${from.wire ?? 'canonical'}&follow=1`,
      {
        signal: stop.signal,
        headers: from.after === undefined ? {} : { 'last-event-id': from.after },
      },
    )
    for await (const text of toFrames(response)) {
      idle?.refresh()
      const match = /^(?:event: .+\n)?id: (.+)\ndata: (.+)$/.exec(text)
      if (!match?.[1] || !match[2]) continue
      const frame = { id: match[1], data: JSON.parse(match[2]), text }
      frames.push(frame)
      if (until(frame)) break
    }
  } catch {
    // The socket of a killed server breaks: whoever watches goes on elsewhere.
  }
  clearInterval(idle)
  stop.abort()
  return frames
}

async function* toFrames(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body ?? []) {
    rest += decoder.decode(chunk, { stream: true })
    const parts = rest.split('\n\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
}

/** Whether a frame of the canonical wire is of one of these types. */
export const isType =
  (...types: readonly string[]) =>
  (frame: Frame): boolean =>
    types.includes(frame.data.type)

/** The session as lists show it. */
export const rowOf = async (fleet: Fleet, session: string): Promise<SessionRow | undefined> =>
  (await fleet.store.list({ ids: [session], limit: 1 })).items[0]

/** A server's name holds its process id. */
export const isOwnedBy = (row: SessionRow | undefined, node: Launched): boolean =>
  row?.owner?.startsWith(`node-${node.child.pid}-`) === true

/** A session in which `node` streams a long answer at this moment, as seen from `watcher`. */
export async function startLong(fleet: Fleet, node: Launched, watcher: Launched): Promise<string> {
  for (;;) {
    const session = await newSession(node)
    let deltas = 0
    const streams = watch(watcher, session, frame => isType('block.delta')(frame) && ++deltas === 10)
    say(node, session, '/long 1200')
    await streams
    // Another server that happened to look at the same moment may have taken it.
    if (isOwnedBy(await rowOf(fleet, session), node)) return session
  }
}

/** The whole log of a session as the database has it. */
export const readLog = (fleet: Fleet, session: string): Promise<readonly Rec[]> =>
  fleet.store.read(session, 0, 1_000_000)

/** Resolves when `check` holds; the test's own time limit ends the wait. */
export async function until(check: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await check())) await new Promise(resolve => setTimeout(resolve, 20))
}

/** Prints a line of test measurements. */
export function keepFigure(name: string, value: number): void {
  const file = process.env['TOOLWIRE_FIGURES']
  if (file) appendFileSync(join(file), `${name} ${Math.round(value)}\n`)
}
