/** Readers that come back to a long answer at random places: what each costs, and how soon it is up to date. */
import { request } from 'node:http'
import { TOOLWIRE } from './contestant.ts'
import { knobsName } from './knobs.ts'
import { cpuMicros } from './process-meter.ts'
import { CHAT } from './road.ts'
import { takeTurns } from './take-turns.ts'

export interface ResumeResult {
  readonly frames: number
  readonly readers: number
  /** Milliseconds until a reader had everything, one per reader. */
  readonly caught_up_ms: readonly number[]
  readonly cpu_ms_per_reader: number
}

/** Throws when a continuation is not, byte for byte, the rest of the first answer. */
export async function resume(deltas: number, readers: number): Promise<ResumeResult> {
  let result: ResumeResult | undefined
  await takeTurns(
    [TOOLWIRE],
    1,
    async ({ subject: { url, pid } }) => {
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
      const cpu_ms_per_reader = (cpuMicros(pid) - before) / 1000 / readers
      result = { frames: ids.length, readers, caught_up_ms, cpu_ms_per_reader }
    },
    (_, why) => {
      throw new Error(why)
    },
  )
  if (!result) throw new Error('nothing was measured')
  return result
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
