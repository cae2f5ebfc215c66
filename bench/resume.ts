/** Readers that come back to a long answer at random places: what each costs, and how soon it is up to date. */
import { request } from 'node:http'
import { toolwireFrom } from './contestant.ts'
import { knobsName } from './knobs.ts'
import { cpuMicros } from './process-meter.ts'
import { CHAT } from './road.ts'
import type { Subject } from './spawn-subject.ts'
import { median, quantile } from './statistics.ts'
import { takeTurns } from './take-turns.ts'

/** One of each per round. */
export interface ResumeResult {
  readonly frames: number[]
  /** Milliseconds until a reader had everything: the half and the hundredth of the slowest. */
  readonly p50_ms: number[]
  readonly p99_ms: number[]
  readonly cpu_ms_per_reader: number[]
}

interface ResumeLoad {
  readonly deltas: number
  readonly readers: number
}

/** Throws when a continuation is not, byte for byte, the rest of the first answer. */
export async function resume(
  command: readonly string[],
  load: ResumeLoad,
  rounds: number,
): Promise<ResumeResult> {
  const result: ResumeResult = { frames: [], p50_ms: [], p99_ms: [], cpu_ms_per_reader: [] }
  await takeTurns(
    [toolwireFrom(command)],
    rounds,
    async ({ subject }) => {
      const { frames, caught_up_ms, cpu_ms_per_reader } = await measure(subject, load)
      result.frames.push(frames)
      result.p50_ms.push(median(caught_up_ms))
      result.p99_ms.push(quantile(caught_up_ms, 0.99))
      result.cpu_ms_per_reader.push(cpu_ms_per_reader)
    },
    (_, why) => {
      throw new Error(why)
    },
  )
  return result
}

async function measure({ url, pid }: Subject, { deltas, readers }: ResumeLoad) {
  const model = knobsName(CHAT.model, { d: deltas, w: 1 })
  const session = (await CHAT.prepare?.(url, model)) ?? ''
  const first = await post(`${url}${CHAT.path}`, CHAT.body(model, session))
  const ids = [...first.matchAll(/^id: (.*)$/gm)].map(match => ({ id: match[1] ?? '', at: match.index }))
  const before = cpuMicros(pid)
  const caught_up_ms = await Promise.all(
    Array.from({ length: readers }, async (_, n) => {
      const from = ids[Math.floor((ids.length - 1) * ((n * 0.618_033_988_7) % 1))]
      const started = performance.now()
      const rest = await get(`${url}/api/sessions/${session}/events?wire=chat`, from?.id ?? '')
      const expected = first.slice(first.indexOf('\n\n', from?.at ?? 0) + 2)
      if (!rest.endsWith(expected)) throw new Error(`the rest after ${from?.id} differs`)
      return performance.now() - started
    }),
  )
  return {
    frames: ids.length,
    caught_up_ms,
    cpu_ms_per_reader: (cpuMicros(pid) - before) / 1000 / readers,
  }
}

const get = (url: string, lastEventId: string): Promise<string> =>
  send(url, { method: 'GET', headers: { 'last-event-id': lastEventId } }, '')

const post = (url: string, body: object): Promise<string> =>
  send(url, { method: 'POST', headers: { 'content-type': 'application/json' } }, JSON.stringify(body))

function send(url: string, options: object, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(url, options, response => {
      const chunks: string[] = []
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => resolve(chunks.join('')))
    })
    call.on('error', reject)
    call.end(body)
  })
}
