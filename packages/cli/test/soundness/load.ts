/**
 * Load on one real server: many streams at once, many paused sessions, readers that do not read, and a storm of
 * reconnections. Each part checks what clients got, frame by frame, and says what it cost.
 */
import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import type { EventOf } from '@toolwire/core'
import { openSqliteStore } from '@toolwire/store'
import { type Launched, launch } from '../launch.ts'
import { createHeapLooks } from './heap-looks.ts'
import type { Work } from './load-client.ts'
import { manyPaused, manyStreams, reconnectStorm, stalledReaders } from './load-parts.ts'

export interface LoadSizes {
  readonly streams: number
  readonly paused: number
  readonly stalled: number
  readonly storm: number
  /** Events of the log that stalled readers ask for: more than the system holds for each of them. */
  readonly bulk: number
  readonly seed: number
}

export interface LoadFigure {
  readonly part: keyof Omit<LoadSizes, 'seed' | 'bulk'>
  readonly count: number
  readonly seconds: number
  /** Resident memory of the server before and after, and the most in between, in megabytes. */
  readonly before: number
  readonly most: number
  readonly after: number
  readonly frames: number
  /** Answers that had begun and not ended, at most. */
  readonly atOnce: number
  /** The same as the server counts it: open streams, and for the paused part waiting sessions. */
  readonly gauge: number
  /** Sessions that waited, as the server counted them at the moment of `gauge`. */
  readonly waiting: number
  /** Sessions that were being answered at the same moment, as the server counted them. */
  readonly running: number
  /** Events that the slowest reader had yet to get while none of the stalled ones read. */
  readonly lag: number
  /** Megabytes in use after a collection, where the part looked: before, and meanwhile. */
  readonly held: readonly number[]
  readonly problems: string[]
}

/** Those that wait are there while everything else happens. */
const PARTS = {
  paused: manyPaused,
  streams: manyStreams,
  stalled: stalledReaders,
  storm: reconnectStorm,
} as const

/** Runs the parts one after another on one server in `dir`, which the caller removes. */
export async function runLoad(
  dir: string,
  sizes: LoadSizes,
  onFigure: (figure: LoadFigure) => void = () => {},
): Promise<readonly LoadFigure[]> {
  const longSession = await storeLongSession(join(dir, 'data'), sizes.bulk)
  const looks = createHeapLooks(join(dir, 'heap.txt'))
  const server = await launch(dir, ['--port', '0', '--data', join(dir, 'data')], {
    TOOLWIRE_DEMO_PACE_MS: '20',
    ...looks.env,
  })
  const inUse = async (): Promise<number> => {
    const { heapMb, buffersMb } = await looks.look(server.child)
    return heapMb + buffersMb
  }
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const figures: LoadFigure[] = []
  try {
    for (const part of Object.keys(PARTS) as LoadFigure['part'][]) {
      const figure = await measure(part, sizes[part], server, given =>
        PARTS[part]({
          ...given,
          url: server.url,
          agent,
          count: sizes[part],
          seed: sizes.seed,
          longSession,
          inUse,
        }),
      )
      if (part !== 'storm' && figure.waiting < sizes.paused)
        figure.problems.push(`${figure.waiting} of ${sizes.paused} sessions waited meanwhile`)
      figures.push(figure)
      onFigure(figure)
    }
  } finally {
    agent.destroy()
    await server.stop()
  }
  return figures
}

/** Large events: those who do not read must all be full before the server gives the first of them up. */
const BULK = { session: 'load-long', events: 100, characters: 6000 }

/** A session with so many events of some 6 kB each, stored before there is a server. */
async function storeLongSession(dir: string, count: number): Promise<string> {
  const { session } = BULK
  const ts = new Date().toISOString()
  const note = { type: 'note', ts, name: 'load', value: 'x'.repeat(BULK.characters) } as const
  const created: EventOf<'session.created'> = {
    type: 'session.created',
    ts,
    cwd: dir,
    model: 'demo',
    tools: [],
    permission_mode: 'default',
  }
  const store = await openSqliteStore({ dir })
  await store.append([{ session, create: true, events: [created], state: 'idle' }])
  for (let left = count; left > 0; left -= BULK.events)
    await store.append([{ session, events: Array.from({ length: Math.min(left, BULK.events) }, () => note) }])
  await store.close()
  return session
}

async function measure(
  part: LoadFigure['part'],
  count: number,
  server: Launched,
  work: (given: Pick<Work, 'problems' | 'open' | 'counted' | 'held'>) => Promise<number>,
): Promise<LoadFigure> {
  const before = residentOf(server)
  let most = before
  const look = setInterval(() => {
    most = Math.max(most, residentOf(server))
  }, 100)
  const began = performance.now()
  const problems: string[] = []
  const open = { now: 0, most: 0 }
  const counted = { most: 0, waiting: 0, running: 0, lag: 0 }
  const held: number[] = []
  try {
    const frames = await work({ problems, open, counted, held })
    const seconds = Math.round(performance.now() - began) / 1000
    const after = residentOf(server)
    const { most: gauge, ...others } = counted
    const memory = { before, most, after, held: held.map(Math.round) }
    return { part, count, seconds, ...memory, frames, atOnce: open.most, gauge, ...others, problems }
  } finally {
    clearInterval(look)
  }
}

function residentOf(server: Launched): number {
  try {
    const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8')
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
  } catch {
    return 0
  }
}
