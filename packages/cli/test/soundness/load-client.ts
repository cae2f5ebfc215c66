/** The client side of a load test: pages and streams over plain connections, and the server's own metrics. */
import { type Agent, type IncomingMessage, request } from 'node:http'

export interface Work {
  readonly url: string
  readonly agent: Agent
  readonly count: number
  readonly seed: number
  /** A session whose log is larger than the kernel's buffers of a stalled connection. */
  readonly longSession: string
  readonly problems: string[]
  /** Answers that have begun and not ended. */
  readonly open: { now: number; most: number }
  /** The maximum of the server's own metric, and the waiting sessions in the same response. */
  readonly counted: { most: number; waiting: number; running: number; lag: number }
  /** Megabytes that the server has in use after a collection. */
  readonly inUse: () => Promise<number>
  /** What was in use before and while the part asked for it. */
  readonly held: number[]
}

/** Sends a message and leaves at once: the run continues for its followers. */
export async function say(work: Work, session_id: string, message: string): Promise<void> {
  const response = await open(work, '/api/chat/stream', { body: { session_id, message } })
  response.destroy()
}

/** What came until `end` was in it so many times, or the stream ended; leaves then. */
export async function readUntil(response: IncomingMessage, end: string, times: number): Promise<string> {
  response.setEncoding('utf8')
  let text = ''
  let found = 0
  let from = 0
  for await (const chunk of response) {
    text += String(chunk)
    for (let at = text.indexOf(end, from); at >= 0 && found < times; at = text.indexOf(end, from)) {
      found += 1
      from = at + end.length
    }
    if (found === times) break
    from = Math.max(from, text.length - end.length)
  }
  return text
}

const COUNT_TRIES = 120
export const WAITING = 'toolwire_sessions{state="paused"}'

/** Polls the server's own metric until it reaches a minimum; some metrics are updated periodically. */
export async function expectCount(work: Work, name: string, least: number): Promise<void> {
  for (let i = 0; i < COUNT_TRIES && work.counted.most < least; i++) {
    if (i > 0) await new Promise(resolve => setTimeout(resolve, 500))
    const text = await ask(work, '/metrics')
    const found = figureIn(text, name)
    if (found >= work.counted.most)
      Object.assign(work.counted, { most: found, waiting: figureIn(text, WAITING) })
  }
  if (work.counted.most < least) work.problems.push(`${name} was ${work.counted.most}, not ${least}`)
}

export function figureIn(metrics: string, name: string): number {
  const line = metrics.split('\n').find(text => text.startsWith(`${name} `))
  return Number(line?.slice(name.length) ?? 0)
}

export const all = <T>(count: number, one: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => one(i)))

export const framesOf = (text: string): readonly string[] =>
  text.split('\n\n').filter(frame => frame.startsWith('id: ') || frame.startsWith('event: '))

/** A frame's place as one number: its seq, then its number in it. */
export function placeOf(frame: string): number {
  const found = /^id: .+\.(\d+)\.(\d+)$/m.exec(frame)
  return Number(found?.[1]) * 1_000_000 + Number(found?.[2])
}

export const newSession = async (work: Work, body: object = {}): Promise<string> =>
  (JSON.parse(await ask(work, '/api/sessions', { body })) as { readonly id: string }).id

interface Asked {
  readonly method?: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The response when its head is there. Rejects when the connection fails; one that was kept from an earlier request may
 * have been closed by the server at the very moment, and is replaced.
 */
export function open(work: Work, path: string, given: Asked = {}): Promise<IncomingMessage> {
  const { body, headers, method = body === undefined ? 'GET' : 'POST' } = given
  return new Promise((resolve, reject) => {
    const asked = request(work.url + path, {
      agent: work.agent,
      method,
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
export async function ask(work: Work, path: string, asked: Asked = {}): Promise<string> {
  const response = await open(work, path, asked)
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return text
}
