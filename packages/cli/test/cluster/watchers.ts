/**
 * Many watchers on one server of a session that another node writes: first all of them read, then a tenth requests
 * the whole of it and never reads, and the rest must get every event once, in order and without delay. Then a
 * storm of reconnections at random positions while another server writes a message. The watched server of each
 * round is a fresh one, so that its memory belongs to that round alone.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventOf } from '@toolwire/core'
import type { Launched } from '../launch.ts'
import { createHeapLooks, type HeapLook } from '../soundness/heap-looks.ts'
import { createRandom } from '../soundness/random.ts'
import { type Fleet, newSession, readLog, say, until } from './fleet.ts'

interface WatcherSizes {
  readonly watchers: number
  /** Appends of 500 existing deltas; 48 are more than the kernel buffers for a stalled connection. */
  readonly bulk: number
  /** Events that they see one after another, before the stalled ones come and after. */
  readonly paced: number
  readonly storm: number
  readonly seed: number
}

export interface Round {
  /** Memory of the watched server, after collections: idle, with active readers, and at the end. */
  readonly rested: HeapLook
  readonly open: HeapLook
  readonly end: HeapLook
  /** The most resident memory between the last two, in megabytes; garbage counts. */
  readonly mostMb: number
}

interface WatchRound extends Round {
  readonly stalled: number
  /** Milliseconds from the making of an event to a watcher that reads, one per watcher and event of the second half. */
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
  readonly delivered: { count: number }
  /** Looks at the memory of the watched server; `open` begins what `mostMb` is the most of. */
  readonly look: (when: 'open' | 'end') => Promise<void>
}

const DELTAS = 500
const PACE_MS = 40

/** Starts the servers it needs in the fleet; they end with it. */
export async function runWatchers(fleet: Fleet, sizes: WatcherSizes): Promise<WatcherFigures> {
  const far = await fleet.start({ TOOLWIRE_DEMO_PACE_MS: '5' })
  const shared = { fleet, far, problems: [], delivered: { count: 0 } }
  const allRead = await onFreshServer(shared, work => watchAll(work, sizes, false))
  const tenthStalled = await onFreshServer(shared, work => watchAll(work, sizes, true))
  const stormed = await onFreshServer(shared, work => stormAll(work, sizes))
  const { watchers, storm } = sizes
  const { problems, delivered } = shared
  return { watchers, storm, allRead, tenthStalled, stormed, delivered: delivered.count, problems }
}

async function onFreshServer<T extends object>(
  shared: Omit<Work, 'near' | 'agent' | 'look'>,
  run: (work: Work) => Promise<T>,
): Promise<T & Round> {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-watchers-'))
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
  const looks = createHeapLooks(join(dir, 'heap.txt'))
  const near = await shared.fleet.start(looks.env)
  const rested = await looks.look(near.child)
  const seen = { open: rested, end: rested }
  let mostMb = 0
  const look = async (when: 'open' | 'end'): Promise<void> => {
    if (when === 'end') clearInterval(meter)
    seen[when] = await looks.look(near.child)
    if (when === 'open') mostMb = seen.open.residentMb
  }
  const meter = setInterval(() => {
    mostMb = Math.max(mostMb, residentMb(near))
  }, 50)
  try {
    const figures = await run({ ...shared, near, agent, look })
    return { ...figures, rested, ...seen, mostMb }
  } finally {
    clearInterval(meter)
    agent.destroy()
    await near.stop('SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  }
}

async function watchAll(
  work: Work,
  { watchers: count, paced, bulk }: WatcherSizes,
  tenthStalls: boolean,
): Promise<Omit<WatchRound, keyof Round>> {
  const session = await newSession(work.far)
  const writer = await openWriter(work.fleet, session)
  for (let i = 0; i < bulk; i++) await writer.write(DELTAS)
  const before = writer.head()
  const middle = before + Math.floor(paced / 2)
  const last = before + paced
  const late = tenthStalls ? Math.floor(count / 10) : 0
  const delays: number[] = []
  const note = (seq: number, line: string): boolean => {
    if (seq > middle + 1) delays.push(Date.now() - Date.parse(/"ts":"([^"]+)"/.exec(line)?.[1] ?? ''))
    return seq === last
  }
  const readers = await openMany(work, session, count - late, before)
  const reading = readers.map(response => collect(response, before, note))
  await pace(() => writer.write(1), middle - before)
  await work.look('open')
  const stalled = await openMany(work, session, late, 0)
  // How far behind they are is known from the first event on that they hear of.
  await pace(() => writer.write(1), 1)
  await settledLag(work.near)
  await pace(() => writer.write(1), last - middle - 1)
  for (const seen of await Promise.all(reading)) check(work, seen, { from: seen.first - 1, head: last })
  const lag = await settledLag(work.near)
  await work.look('end')
  await writer.release()
  for (const response of [...readers, ...stalled]) response.destroy()
  return { stalled: stalled.length, delays, lag }
}

const openMany = (
  work: Work,
  session: string,
  count: number,
  from: number,
): Promise<readonly IncomingMessage[]> =>
  Promise.all(Array.from({ length: count }, () => open(work, session, from)))

async function pace(write: () => Promise<void>, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await write()
    await new Promise(resolve => setTimeout(resolve, PACE_MS))
  }
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

/** What is left behind for good: streams that are catching up are waited for until they are through or taken no more. */
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

/** Each of them resumes from its own position to the end of a message that is still being written. */
async function stormAll(work: Work, { storm, seed }: WatcherSizes): Promise<object> {
  const session = await newSession(work.far)
  say(work.far, session, '/long 600')
  const head = async (): Promise<number> =>
    (await work.fleet.store.list({ ids: [session], limit: 1 })).items[0]?.head ?? 0
  await until(async () => (await head()) > 100)
  const random = createRandom(seed)
  const places = Array.from({ length: storm }, () => Math.floor(random() * 100))
  const seen = await Promise.all(places.map(from => reconnect(work, session, from)))
  const last = await headOf(work, session)
  for (const [i, one] of seen.entries()) check(work, one, { from: places[i] ?? 0, head: last })
  await work.look('end')
  return {}
}

async function reconnect(work: Work, session: string, from: number): Promise<Seen> {
  const response = await open(work, session, from)
  try {
    return await collect(response, from, isEnd)
  } finally {
    response.destroy()
  }
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
  work.delivered.count += seen.count
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
 * Reads until `isLast` says so of an event and its line, and leaves the stream open; throws when one is missing, comes
 * twice or out of order, or the stream breaks.
 */
async function collect(
  response: IncomingMessage,
  from: number,
  isLast: (seq: number, line: string) => boolean,
): Promise<Seen> {
  let rest = ''
  let last = from
  for await (const chunk of response.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const seq = line.startsWith('id: ') ? Number(/\.(\d+)\.\d+$/.exec(line)?.[1] ?? 0) : 0
      if (seq > 0 && seq !== last + 1) throw new Error(`event ${seq} came after ${last}`)
      if (seq > 0) last = seq
      if (line.startsWith('data: ') && isLast(last, line))
        return { first: from + 1, last, count: last - from }
    }
  }
  const { statusCode } = response
  throw new Error(`the stream (${statusCode}) ended after ${last}: ${rest.slice(0, 300)}`)
}

const residentMb = (node: Launched): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${node.child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
