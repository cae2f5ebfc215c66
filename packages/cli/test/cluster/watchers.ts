/**
 * Many watchers on one server of a session that another node writes: first all of them read, then a tenth asks for the
 * whole of it and never reads, and the rest must get every event once, in order and no later. Then a storm of reconnections at random places while
 * another server writes an answer.
 */
import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { EventOf } from '@toolwire/core'
import type { Launched } from '../launch.ts'
import { createRandom } from '../soundness/random.ts'
import { type Fleet, newSession, readLog, say, until } from './fleet.ts'

interface WatcherSizes {
  readonly watchers: number
  /** Events that they see one after another. */
  readonly paced: number
  readonly storm: number
  readonly seed: number
}

interface Round {
  /** Resident memory of the watched server before, and the most while it lasted, in megabytes. */
  readonly beforeMb: number
  readonly mostMb: number
}

interface WatchRound extends Round {
  readonly stalled: number
  /** Milliseconds from the making of an event to a watcher that reads, one per watcher and event. */
  readonly delays: readonly number[]
  /** Events that the slowest stream had yet to send when all that read were through. */
  readonly lag: number
}

export interface WatcherFigures {
  readonly watchers: number
  readonly storm: number
  readonly allRead: WatchRound
  readonly tenthStalled: WatchRound
  readonly stormed: Round
  /** Events that were delivered and checked. */
  readonly delivered: number
  /** What must not be; empty when all is well. */
  readonly problems: readonly string[]
}

interface Work {
  readonly fleet: Fleet
  readonly far: Launched
  readonly near: Launched
  readonly agent: Agent
  readonly problems: string[]
  delivered: number
}

/** Appends of so many deltas each: together more than the kernel holds for a connection that nobody reads. */
const BULK = 48
const DELTAS = 500
const PACE_MS = 40

/** `far` answers in the storm and `near` is watched; both stay the caller's. */
export async function runWatchers(
  fleet: Fleet,
  [far, near]: readonly [Launched, Launched],
  sizes: WatcherSizes,
): Promise<WatcherFigures> {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
  const work: Work = { fleet, far, near, agent, problems: [], delivered: 0 }
  const { watchers, storm } = sizes
  try {
    const allRead = await measured(near, () => watchAll(work, sizes, false))
    const tenthStalled = await measured(near, () => watchAll(work, sizes, true))
    const stormed = await measured(near, () => stormAll(work, sizes))
    const { delivered, problems } = work
    return { watchers, storm, allRead, tenthStalled, stormed, delivered, problems }
  } finally {
    agent.destroy()
  }
}

async function measured<T extends object>(near: Launched, work: () => Promise<T>): Promise<T & Round> {
  const beforeMb = residentMb(near)
  let mostMb = beforeMb
  const meter = setInterval(() => {
    mostMb = Math.max(mostMb, residentMb(near))
  }, 50)
  try {
    return { ...(await work()), beforeMb, mostMb }
  } finally {
    clearInterval(meter)
  }
}

async function watchAll(
  work: Work,
  { watchers: count, paced }: WatcherSizes,
  tenthStalls: boolean,
): Promise<Omit<WatchRound, keyof Round>> {
  const session = await newSession(work.far)
  const writer = await openWriter(work.fleet, session)
  for (let i = 0; i < BULK; i++) await writer.write(DELTAS)
  const before = writer.head()
  const last = before + paced
  const places = Array.from({ length: count }, (_, i) => (tenthStalls && i % 10 === 0 ? 0 : before))
  const responses = await Promise.all(places.map(from => open(work, session, from)))
  const delays: number[] = []
  const note = (seq: number, line: string): boolean => {
    if (seq > before) delays.push(Date.now() - Date.parse(/"ts":"([^"]+)"/.exec(line)?.[1] ?? ''))
    return seq === last
  }
  const reading = responses.flatMap((response, i) => {
    const from = places[i] ?? 0
    return from === 0 ? [] : [collect(response, from, note)]
  })
  for (let i = 0; i < paced; i++) {
    await writer.write(1)
    await new Promise(resolve => setTimeout(resolve, PACE_MS))
  }
  for (const seen of await Promise.all(reading)) check(work, seen, { from: seen.first - 1, head: last })
  const lag = await settledLag(work.near)
  await writer.release()
  for (const response of responses) response.destroy()
  return { stalled: count - reading.length, delays, lag }
}

/** The test's own store as the node that owns the session. */
async function openWriter({ store }: Fleet, session: string) {
  const [claimed] = await store.claim({ node: 'writer', ttlMs: 600_000, max: 1, session })
  if (!claimed) throw new Error(`${session} cannot be claimed`)
  const { epoch } = claimed
  let w = 0
  let at = claimed.head
  async function append(events: readonly EventOf<'block.delta'>[], release?: number): Promise<void> {
    w += 1
    const end = release === undefined ? {} : { state: 'idle' as const, releaseIfHead: release }
    const [answer] = await store.append([{ session, as: { epoch, w }, events, ...end }])
    if (!answer || !('head' in answer)) throw new Error(`an append was answered ${JSON.stringify(answer)}`)
    at = answer.head
  }
  return {
    head: () => at,
    write: (count: number) => append(Array.from({ length: count }, newDelta)),
    release: () => append([], at),
  }
}

const newDelta = (): EventOf<'block.delta'> => ({
  type: 'block.delta',
  ts: new Date().toISOString(),
  run_id: 'run_1',
  turn: 1,
  block_id: 'msg_1.0',
  offset: 0,
  text: 'a few words ',
})

/** What is left behind for good: streams that are still catching up are waited for. */
async function settledLag(node: Launched): Promise<number> {
  let lag = await lagOf(node)
  for (let same = 0; lag > 0 && same < 5; ) {
    await new Promise(resolve => setTimeout(resolve, 200))
    const now = await lagOf(node)
    same = now === lag ? same + 1 : 0
    lag = now
  }
  return lag
}

async function lagOf(node: Launched): Promise<number> {
  const text = await (await fetch(`${node.url}/metrics`)).text()
  return Number(/^toolwire_log_lag_events (\d+)$/m.exec(text)?.[1] ?? Number.NaN)
}

/** Each of them reads on from a place of its own to the end of an answer that is still being written. */
async function stormAll(work: Work, { storm, seed }: WatcherSizes): Promise<object> {
  const session = await newSession(work.far)
  say(work.far, session, '/long 600')
  const head = async (): Promise<number> =>
    (await work.fleet.store.list({ ids: [session], limit: 1 })).items[0]?.head ?? 0
  await until(async () => (await head()) > 100)
  const random = createRandom(seed)
  const places = Array.from({ length: storm }, () => Math.floor(random() * 100))
  const seen = await Promise.all(
    places.map(async from => await collect(await open(work, session, from), from, isEnd)),
  )
  const last = await headOf(work, session)
  for (const [i, one] of seen.entries()) check(work, one, { from: places[i] ?? 0, head: last })
  return {}
}

const isEnd = (_: number, line: string): boolean => line.includes('"type":"run.completed"')

async function headOf(work: Work, session: string): Promise<number> {
  await until(async () => (await readLog(work.fleet, session)).at(-1)?.ev.type === 'run.completed')
  return (await readLog(work.fleet, session)).length
}

interface Seen {
  readonly first: number
  readonly last: number
  readonly count: number
}

function check(
  work: Work,
  seen: Seen,
  { from, head }: { readonly from: number; readonly head: number },
): void {
  work.delivered += seen.count
  if (seen.first !== from + 1 || seen.last !== head || seen.count !== head - from)
    work.problems.push(`behind ${from} came ${seen.count} events, ${seen.first} to ${seen.last} of ${head}`)
}

function open(work: Work, session: string, after?: number): Promise<IncomingMessage> {
  const url = `${work.near.url}/api/sessions/${session}/events?wire=canonical&follow=1`
  const headers = after === undefined || after === 0 ? {} : { 'last-event-id': `${session}.${after}.0` }
  return new Promise((resolve, reject) => {
    request(url, { agent: work.agent, headers }, response => {
      response.pause()
      resolve(response)
    })
      .on('error', reject)
      .end()
  })
}

/**
 * Reads until `isLast` says so of an event and its line; throws when one is missing, comes twice or out of order, or the
 * stream breaks.
 */
async function collect(
  response: IncomingMessage,
  from: number,
  isLast: (seq: number, line: string) => boolean,
): Promise<Seen> {
  let rest = ''
  let last = from
  for await (const chunk of response.setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const seq = line.startsWith('id: ') ? Number(/\.(\d+)\.\d+$/.exec(line)?.[1] ?? 0) : 0
      if (seq > 0 && seq !== last + 1) throw new Error(`event ${seq} came after ${last}`)
      if (seq > 0) last = seq
      if (line.startsWith('data: ') && isLast(last, line)) {
        response.destroy()
        return { first: from + 1, last, count: last - from }
      }
    }
  }
  throw new Error(`the stream ended after ${last}`)
}

const residentMb = (node: Launched): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${node.child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
