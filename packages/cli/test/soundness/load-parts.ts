/** The parts of a load on one server. Each returns how many frames it compared, and says what was wrong. */
import type { IncomingMessage } from 'node:http'
import {
  all,
  ask,
  expectCount,
  figureIn,
  framesOf,
  newSession,
  open,
  placeOf,
  readUntil,
  say,
  WAITING,
  type Work,
} from './load-client.ts'
import { createRandom } from './random.ts'

const TOOL = { name: 'show_note', parameters: { type: 'object', properties: { text: { type: 'string' } } } }

/** Sessions that wait for their page; no connection is open afterwards. */
export async function manyPaused(work: Work): Promise<number> {
  let left = work.count
  await all(Math.min(20, work.count), async () => {
    while (left-- > 0) {
      const session_id = await newSession(work, { tools: [] })
      const body = { session_id, message: '/client hello', tools: [TOOL] }
      const text = await ask(work, '/api/chat/stream', { body })
      if (!text.includes('"type":"done"')) work.problems.push(`${session_id} did not come to its pause`)
      const view = JSON.parse(await ask(work, `/api/sessions/${session_id}`)) as { readonly status: string }
      if (view.status !== 'paused') work.problems.push(`${session_id} is ${view.status}`)
    }
  })
  await expectCount(work, WAITING, work.count)
  return 0
}

const RUNNING = 'toolwire_sessions{state="running"}'
/** Longer than it takes to ask for all of them: so all are being answered at some moment. */
const slowSeconds = (count: number): number => 8 + Math.ceil(count / 16)

/**
 * Readers follow a session each before anything is said in it, and none of them leaves before its answers are over: all
 * are open at once from the first word on. First all are answered slowly at the same time, then fast, one behind the other.
 * Each gets its whole answers in order. Returns the frames of all.
 */
export async function manyStreams(work: Work): Promise<number> {
  const sessions: string[] = []
  await all(Math.min(20, work.count), async () => {
    while (sessions.length < work.count) sessions.push(await newSession(work))
  })
  const readers = await all(work.count, i =>
    open(work, `/api/sessions/${sessions[i]}/events?wire=chat&follow=1`),
  )
  await expectCount(work, 'toolwire_streams_open', work.count)
  const answers = readers.map(response => readUntil(response, DONE, 2))
  await sayToAll(work, sessions, `/slow ${slowSeconds(work.count)}`)
  await expectRunning(work)
  await sayToAll(work, sessions, '/long 100')
  let frames = 0
  for (const [i, text] of (await Promise.all(answers)).entries()) {
    const own = framesOf(text)
    const seqs = own.map(placeOf)
    if (own.filter(frame => frame.includes(DONE)).length !== 2)
      work.problems.push(`stream ${i} has not two ends`)
    if (seqs.some((place, at) => at > 0 && place <= (seqs[at - 1] ?? 0)))
      work.problems.push(`stream ${i} has frames out of order`)
    frames += own.length
  }
  return frames
}

const DONE = '"type":"done"'

async function sayToAll(work: Work, sessions: readonly string[], message: string): Promise<void> {
  let next = 0
  await all(Math.min(50, work.count), async () => {
    for (let i = next++; i < work.count; i = next++) await say(work, sessions[i] ?? '', message)
  })
}

/** Running sessions as the server counts them; it updates that every five seconds. */
async function expectRunning(work: Work): Promise<void> {
  for (let i = 0; i < 8 && work.counted.running < work.count; i++) {
    if (i > 0) await new Promise(resolve => setTimeout(resolve, 1000))
    work.counted.running = Math.max(work.counted.running, figureIn(await ask(work, '/metrics'), RUNNING))
  }
  if (work.counted.running < work.count)
    work.problems.push(`${work.counted.running} of ${work.count} were answered at the same time`)
}

/** What a reader that does not read may cost: a chunk that waits for it and its connection, not what it has yet to get. */
const HELD = { fixedMb: 24, perReaderMb: 0.1 }
const LAG = 'toolwire_log_lag_events'

/** Readers that never read, beside some that do: those get everything, and the server keeps nothing for the others. */
export async function stalledReaders(work: Work): Promise<number> {
  const path = `/api/sessions/${work.longSession}/events?wire=canonical`
  const whole = await ask(work, path)
  work.held.push(await work.inUse())
  const stalled = await all(work.count, () => open(work, `${path}&follow=1`))
  for (const response of stalled) response.pause()
  await expectCount(work, 'toolwire_streams_open', work.count)
  await expectLag(work)
  work.held.push(await work.inUse())
  const [before = 0, meanwhile = 0] = work.held
  if (meanwhile - before > HELD.fixedMb + HELD.perReaderMb * work.count)
    work.problems.push(`${Math.round(meanwhile - before)} MB more are held for readers that do not read`)
  const answers = await all(20, () => ask(work, path))
  const frames = framesOf(whole).length
  // Only the new title came behind it.
  if (answers.some(text => !text.startsWith(whole) || framesOf(text).length !== frames + 1))
    work.problems.push('a reader beside stalled ones got another stream')
  for (const response of stalled) response.destroy()
  return frames * answers.length
}

/**
 * The server waits for them: they are behind, and stay so. It knows how far from the first event on that they hear of,
 * which is a new title.
 */
async function expectLag(work: Work): Promise<void> {
  await ask(work, `/api/sessions/${work.longSession}`, { method: 'PATCH', body: { title: 'heard of' } })
  let same = 0
  for (let i = 0; i < 240 && same < 5; i++) {
    const lag = figureIn(await ask(work, '/metrics'), LAG)
    same = lag === work.counted.lag ? same + 1 : 0
    work.counted.lag = lag
    await new Promise(resolve => setTimeout(resolve, 500))
  }
  if (work.counted.lag === 0) work.problems.push('the server never waited for a reader: the log is too short')
}

const WAVES = 4

/**
 * Connections with random cursors, in waves while an answer is written and all of the last one after it: each gets
 * exactly what follows its own place, up to the end of the answer.
 */
export async function reconnectStorm(work: Work): Promise<number> {
  const session_id = await newSession(work)
  const path = `/api/sessions/${session_id}/events?wire=chat`
  const live = await open(work, '/api/chat/stream', { body: { session_id, message: '/long 900' } })
  const seen = followFrames(live)
  const random = createRandom(work.seed)
  const asking: Promise<Reconnected>[] = []
  for (let wave = 0; wave < WAVES; wave++) {
    // The last one meets the answer when it is over.
    while (!seen.isOver && (wave === WAVES - 1 || seen.frames.length < 50 * (wave + 1)))
      await new Promise(resolve => setTimeout(resolve, 20))
    if (seen.isOver && wave < WAVES - 1) work.problems.push(`the answer was over before wave ${wave + 1}`)
    const there = [...seen.frames]
    const count = Math.floor((work.count * (wave + 1)) / WAVES) - Math.floor((work.count * wave) / WAVES)
    for (let i = 0; i < count; i++)
      asking.push(reconnect(work, path, there[Math.floor(random() * (there.length - 1))] ?? ''))
  }
  const got = await Promise.all(asking)
  const frames = framesOf(await ask(work, path))
  for (const { id, after } of got) {
    const at = frames.findIndex(frame => frame.startsWith(`id: ${id}\n`))
    if (at < 0 || after.join('\n\n') !== frames.slice(at + 1).join('\n\n'))
      work.problems.push(`behind ${id} came ${after.length} frames instead of ${frames.length - at - 1}`)
  }
  return got.reduce((sum, { after }) => sum + after.length, 0)
}

interface Reconnected {
  readonly id: string
  readonly after: readonly string[]
}

async function reconnect(work: Work, path: string, frame: string): Promise<Reconnected> {
  const id = /^id: (.+)$/m.exec(frame)?.[1] ?? ''
  return { id, after: framesOf(await ask(work, path, { headers: { 'last-event-id': id } })) }
}

/** The whole frames of an answer, as they come. */
function followFrames(response: IncomingMessage): { readonly frames: string[]; readonly isOver: boolean } {
  const seen = { frames: [] as string[], isOver: false }
  let rest = ''
  response.setEncoding('utf8')
  response.on('data', chunk => {
    const parts = (rest + String(chunk)).split('\n\n')
    rest = parts.pop() ?? ''
    seen.frames.push(...framesOf(parts.join('\n\n')))
  })
  response.on('close', () => {
    seen.isOver = true
  })
  return seen
}
