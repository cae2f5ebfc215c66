/**
 * Many watchers on one server of a session that another server works on: a tenth of them never reads, the rest must
 * get every event once and in order. Then a storm of reconnections at random places while an answer is written.
 */
import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { Launched } from '../launch.ts'
import { createRandom } from '../soundness/random.ts'
import { type Fleet, newSession, readLog, say, until } from './fleet.ts'

interface WatcherSizes {
  readonly watchers: number
  readonly storm: number
  readonly seed: number
}

export interface WatcherFigures {
  readonly watchers: number
  readonly stalled: number
  readonly storm: number
  /** Events that were delivered and checked. */
  readonly delivered: number
  /** Resident memory of the watched server before, and the most after that, in megabytes. */
  readonly beforeMb: number
  readonly mostMb: number
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

/** `far` works and `near` is watched; both stay the caller's. */
export async function runWatchers(
  fleet: Fleet,
  [far, near]: readonly [Launched, Launched],
  sizes: WatcherSizes,
): Promise<WatcherFigures> {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
  const work: Work = { fleet, far, near, agent, problems: [], delivered: 0 }
  const beforeMb = residentMb(near)
  let mostMb = beforeMb
  const meter = setInterval(() => {
    mostMb = Math.max(mostMb, residentMb(near))
  }, 50)
  try {
    const stalled = await watchAll(work, sizes.watchers)
    await stormAll(work, sizes)
    return { ...sizes, stalled, beforeMb, mostMb, delivered: work.delivered, problems: work.problems }
  } finally {
    clearInterval(meter)
    agent.destroy()
  }
}

/** Returns how many did not read. */
async function watchAll(work: Work, count: number): Promise<number> {
  const session = await newSession(work.far)
  const responses = await Promise.all(Array.from({ length: count }, () => open(work, session)))
  const stalled = responses.filter((_, i) => i % 10 === 0)
  const readers = responses.filter((_, i) => i % 10 !== 0).map(response => collect(response, 0))
  say(work.far, session, '/long 300')
  const seen = await Promise.all(readers)
  const head = await headOf(work, session)
  for (const one of seen) check(work, one, { from: 0, head })
  for (const response of stalled) response.destroy()
  return stalled.length
}

/** Each of them reads on from a place of its own to the end of an answer that is still being written. */
async function stormAll(work: Work, { storm, seed }: WatcherSizes): Promise<void> {
  const session = await newSession(work.far)
  say(work.far, session, '/long 600')
  const head = async (): Promise<number> =>
    (await work.fleet.store.list({ ids: [session], limit: 1 })).items[0]?.head ?? 0
  await until(async () => (await head()) > 100)
  const random = createRandom(seed)
  const places = Array.from({ length: storm }, () => Math.floor(random() * 100))
  const seen = await Promise.all(
    places.map(async from => await collect(await open(work, session, from), from)),
  )
  const last = await headOf(work, session)
  for (const [i, one] of seen.entries()) check(work, one, { from: places[i] ?? 0, head: last })
}

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

/** Reads until a run has ended; throws when an event is missing, comes twice or out of order, or the stream breaks. */
async function collect(response: IncomingMessage, from: number): Promise<Seen> {
  let rest = ''
  let last = from
  for await (const chunk of response.setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const seq = Number(/^id: .+\.(\d+)\.\d+$/.exec(line)?.[1] ?? 0)
      if (seq > 0 && seq !== last + 1) throw new Error(`event ${seq} came after ${last}`)
      if (seq > 0) last = seq
      if (line.startsWith('data: ') && line.includes('"type":"run.completed"')) {
        response.destroy()
        return { first: from + 1, last, count: last - from }
      }
    }
  }
  throw new Error(`the stream ended after ${last}`)
}

const residentMb = (node: Launched): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${node.child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
