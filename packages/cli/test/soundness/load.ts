/**
 * Load on one real server: many streams at once, many paused sessions, readers that do not read, and a storm of
 * reconnections. Each part checks what clients got, frame by frame, and says what it cost.
 */
import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { type Launched, launch } from '../launch.ts'
import { createRandom } from './random.ts'

export interface LoadSizes {
  readonly streams: number
  readonly paused: number
  readonly stalled: number
  readonly storm: number
  readonly seed: number
}

export interface LoadFigure {
  readonly part: keyof Omit<LoadSizes, 'seed'>
  readonly count: number
  readonly seconds: number
  /** Resident memory of the server before and after, and the most in between, in megabytes. */
  readonly before: number
  readonly most: number
  readonly after: number
  readonly frames: number
  /** Answers that had begun and not ended, at most. */
  readonly atOnce: number
  /** The same as the server counts it: open streams, and of the paused part sessions that wait. */
  readonly gauge: number
  /** Sessions that waited, as the server counted them at the moment of `gauge`. */
  readonly waiting: number
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
  const server = await launch(dir, ['--port', '0', '--data', join(dir, 'data')], {
    TOOLWIRE_DEMO_PACE_MS: '20',
  })
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const figures: LoadFigure[] = []
  try {
    for (const part of Object.keys(PARTS) as LoadFigure['part'][]) {
      const figure = await measure(part, sizes[part], server, given =>
        PARTS[part]({ ...given, url: server.url, agent, count: sizes[part], seed: sizes.seed }),
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

async function measure(
  part: LoadFigure['part'],
  count: number,
  server: Launched,
  work: (given: Pick<Work, 'problems' | 'open' | 'counted'>) => Promise<number>,
): Promise<LoadFigure> {
  const before = residentOf(server)
  let most = before
  const look = setInterval(() => {
    most = Math.max(most, residentOf(server))
  }, 100)
  const began = performance.now()
  const problems: string[] = []
  const open = { now: 0, most: 0 }
  const counted = { most: 0, waiting: 0 }
  try {
    const frames = await work({ problems, open, counted })
    const seconds = Math.round(performance.now() - began) / 1000
    const after = residentOf(server)
    const { most: gauge, waiting } = counted
    return { part, count, seconds, before, most, after, frames, atOnce: open.most, gauge, waiting, problems }
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

interface Work {
  readonly url: string
  readonly agent: Agent
  readonly count: number
  readonly seed: number
  readonly problems: string[]
  /** Answers that have begun and not ended. */
  readonly open: { now: number; most: number }
  /** What the server's own figure said, at most, and how many sessions waited by the same answer. */
  readonly counted: { most: number; waiting: number }
}

/**
 * Readers follow a session each before anything is said in it, and none of them leaves before its answer is over: all
 * are open at once from the first word on. Each gets its whole answer in order. Returns the frames of all.
 */
async function manyStreams(work: Work): Promise<number> {
  const sessions: string[] = []
  await all(Math.min(20, work.count), async () => {
    while (sessions.length < work.count) sessions.push(await newSession(work))
  })
  const readers = await all(work.count, i =>
    open(work, `/api/sessions/${sessions[i]}/events?wire=chat&follow=1`),
  )
  await expectCount(work, 'toolwire_streams_open', work.count)
  const answers = readers.map(response => readUntil(response, '"type":"done"'))
  let next = 0
  await all(Math.min(50, work.count), async () => {
    for (let i = next++; i < work.count; i = next++) await say(work, sessions[i] ?? '', '/long 100')
  })
  let frames = 0
  for (const [i, text] of (await Promise.all(answers)).entries()) {
    const own = framesOf(text)
    const seqs = own.map(placeOf)
    if (!/"type":"done"/.test(own.at(-1) ?? '')) work.problems.push(`stream ${i} has no end`)
    if (seqs.some((place, at) => at > 0 && place <= (seqs[at - 1] ?? 0)))
      work.problems.push(`stream ${i} has frames out of order`)
    frames += own.length
  }
  return frames
}

/** Says something and leaves at once: the answer goes on, for those who follow it. */
async function say(work: Work, session_id: string, message: string): Promise<void> {
  const response = await open(work, '/api/chat/stream', { body: { session_id, message } })
  response.destroy()
}

/** What came until `end` was in it, or the stream ended; leaves then. */
async function readUntil(response: IncomingMessage, end: string): Promise<string> {
  response.setEncoding('utf8')
  const pieces: string[] = []
  for await (const chunk of response) {
    pieces.push(String(chunk))
    if (pieces.slice(-2).join('').includes(end)) break
  }
  return pieces.join('')
}

const COUNT_TRIES = 120
const WAITING = 'toolwire_sessions{state="paused"}'

/** Asks for the server's own figure until it is what it should be at least; some figures are looked up now and then only. */
async function expectCount(work: Work, name: string, least: number): Promise<void> {
  for (let i = 0; i < COUNT_TRIES && work.counted.most < least; i++) {
    if (i > 0) await new Promise(resolve => setTimeout(resolve, 500))
    const text = await ask(work, '/metrics')
    const found = figureIn(text, name)
    if (found >= work.counted.most)
      Object.assign(work.counted, { most: found, waiting: figureIn(text, WAITING) })
  }
  if (work.counted.most < least) work.problems.push(`${name} was ${work.counted.most}, not ${least}`)
}

function figureIn(metrics: string, name: string): number {
  const line = metrics.split('\n').find(text => text.startsWith(`${name} `))
  return Number(line?.slice(name.length) ?? 0)
}

const TOOL = { name: 'show_note', parameters: { type: 'object', properties: { text: { type: 'string' } } } }

/** Sessions that wait for their page; no connection is open afterwards. */
async function manyPaused(work: Work): Promise<number> {
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

/** Readers that never read, beside some that do: those get everything. */
async function stalledReaders(work: Work): Promise<number> {
  const session_id = await newSession(work)
  await ask(work, '/api/chat/stream', { body: { session_id, message: '/long 2000' } })
  const path = `/api/sessions/${session_id}/events?wire=chat`
  const whole = await ask(work, path)
  const stalled = await all(work.count, () => open(work, `${path}&follow=1`))
  for (const response of stalled) response.pause()
  await expectCount(work, 'toolwire_streams_open', work.count)
  const answers = await all(20, () => ask(work, path))
  if (answers.some(text => text !== whole))
    work.problems.push('a reader beside stalled ones got another stream')
  for (const response of stalled) response.destroy()
  return framesOf(whole).length * answers.length
}

/** Connections with random cursors, all at once: each gets exactly what follows its own. */
async function reconnectStorm(work: Work): Promise<number> {
  const session_id = await newSession(work)
  await ask(work, '/api/chat/stream', { body: { session_id, message: '/long 300' } })
  const path = `/api/sessions/${session_id}/events?wire=chat`
  const frames = framesOf(await ask(work, path))
  const random = createRandom(work.seed)
  const places = Array.from({ length: work.count }, () => Math.floor(random() * (frames.length - 1)))
  const sizes = await all(work.count, async i => {
    const at = places[i] ?? 0
    const id = /^id: (.+)$/m.exec(frames[at] ?? '')?.[1] ?? ''
    const got = framesOf(await ask(work, path, { headers: { 'last-event-id': id } }))
    if (got.join('\n\n') !== frames.slice(at + 1).join('\n\n'))
      work.problems.push(`behind ${id} came ${got.length} frames instead of ${frames.length - at - 1}`)
    return got.length
  })
  return sizes.reduce((sum, size) => sum + size, 0)
}

const all = <T>(count: number, one: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => one(i)))

const framesOf = (text: string): readonly string[] =>
  text.split('\n\n').filter(frame => frame.startsWith('id: ') || frame.startsWith('event: '))

/** A frame's place as one number: its seq, then its number in it. */
function placeOf(frame: string): number {
  const found = /^id: .+\.(\d+)\.(\d+)$/m.exec(frame)
  return Number(found?.[1]) * 1_000_000 + Number(found?.[2])
}

const newSession = async (work: Work, body: object = {}): Promise<string> =>
  (JSON.parse(await ask(work, '/api/sessions', { body })) as { readonly id: string }).id

interface Asked {
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The response when its head is there. Rejects when the connection fails; one that was kept from an earlier request may
 * have been closed by the server at the very moment, and is replaced.
 */
function open(work: Work, path: string, given: Asked = {}): Promise<IncomingMessage> {
  const { body, headers } = given
  return new Promise((resolve, reject) => {
    const asked = request(work.url + path, {
      agent: work.agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    })
    asked.on('error', error => {
      if (asked.reusedSocket && 'code' in error && error.code === 'ECONNRESET')
        open(work, path, given).then(resolve, reject)
      else reject(error)
    })
    asked.on('response', response => {
      work.open.most = Math.max(work.open.most, ++work.open.now)
      response.once('close', () => void work.open.now--)
      resolve(response)
    })
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** The whole body as text. */
async function ask(work: Work, path: string, asked: Asked = {}): Promise<string> {
  const response = await open(work, path, asked)
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return text
}
