/** The loop around the model: what a round with a tool costs, and whether calls of one message run side by side. */
import { type Contestant, toolwireFrom, withEcho } from './contestant.ts'
import { knobsName } from './knobs.ts'
import { cpuMicros } from './process-meter.ts'
import { CHAT, type Road } from './road.ts'
import { gatherSamples, type Row } from './samples.ts'
import { takeTurns } from './take-turns.ts'

/** Both of one round. */
export type RoundFigure = 'wall_ms' | 'cpu_ms'

/** One row per contestant that runs tools: `perRun` rounds of one call each, over its first route. */
export async function rounds(
  contestants: readonly Contestant[],
  perRun: number,
  repeats: number,
): Promise<readonly Row<RoundFigure>[]> {
  const samples = gatherSamples<RoundFigure>('wall_ms', 'cpu_ms')
  await takeTurns(
    contestants.filter(({ runsTools }) => runsTools).map(one => withEcho(one)),
    repeats,
    async ({ contestant, subject: { url, pid }, upstream }) => {
      const [road = CHAT] = contestant.roads(upstream)
      const model = knobsName(road.model, { d: 3, r: perRun })
      await talk(url, road, model, perRun)
      const before = cpuMicros(pid)
      const started = performance.now()
      await talk(url, road, model, perRun)
      samples.add(samples.row(contestant, road.name, perRun), {
        wall_ms: (performance.now() - started) / perRun,
        cpu_ms: (cpuMicros(pid) - before) / 1000 / perRun,
      })
    },
    (contestant, why) => {
      samples.row(contestant, '', perRun).failure = why
    },
  )
  return samples.rows()
}

/** Asks and reads to the end; the session that was made, if there is one. Throws when not every tool ran. */
async function talk(url: string, road: Road, model: string, calls: number): Promise<string | undefined> {
  const session = await road.prepare?.(url, model)
  const response = await fetch(`${url}${road.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...road.headers },
    body: JSON.stringify(road.body(model, session)),
  })
  const text = await response.text()
  const ran = text.split('done ').length - 1
  if (ran < calls) throw new Error(`${ran} of ${calls} tools ran: ${text.slice(-400)}`)
  return session
}

export interface OverlapLoad {
  readonly calls: number
  /** Absent: a call ends once all have begun. */
  readonly tool_ms?: number
  /** Silence of the model after each call. */
  readonly gap_ms: number
}

/** One of each per round. */
export interface Overlap {
  /** From the start of the first call to the end of the last. */
  readonly span_ms: number[]
  /** Lead of the first call before the end of the model's message. */
  readonly ahead_ms: number[]
  /** Maximum number of concurrent calls. */
  readonly at_once: number[]
}

/** Calls of one message in the product, by the times in its log. Throws when one is missing there. */
export async function overlap(
  command: readonly string[],
  { calls, tool_ms, gap_ms }: OverlapLoad,
  repeats: number,
): Promise<Overlap> {
  const found: Overlap = { span_ms: [], ahead_ms: [], at_once: [] }
  const model = knobsName(CHAT.model, { d: 3, r: 1, p: calls, m: tool_ms ?? 0, q: gap_ms })
  await takeTurns(
    [withEcho(toolwireFrom(command), tool_ms === undefined ? calls : undefined)],
    repeats,
    async ({ subject: { url } }) => {
      const session = await talk(url, CHAT, model, calls)
      const { spans, message_end } = await timesOf(url, session ?? '')
      if (spans.length !== calls) throw new Error(`${spans.length} of ${calls} calls ran`)
      const first = Math.min(...spans.map(({ from }) => from))
      found.span_ms.push(Math.max(...spans.map(({ to }) => to)) - first)
      found.ahead_ms.push(message_end - first)
      found.at_once.push(mostAtOnce(spans))
    },
    (_, why) => {
      throw new Error(why)
    },
  )
  return found
}

interface Span {
  readonly from: number
  readonly to: number
}

/** Start and end times of its calls, and the end of its first message. */
async function timesOf(
  url: string,
  session: string,
): Promise<{ readonly spans: readonly Span[]; readonly message_end: number }> {
  const log = await (await fetch(`${url}/api/sessions/${session}/events?wire=canonical`)).text()
  const events = [...log.matchAll(/^data: (.*)$/gm)].map(
    ([, data = '']) => JSON.parse(data) as { type: string; ts: string; call_id?: string },
  )
  const times = (type: string) => events.filter(ev => ev.type === type)
  const ended = new Map(times('tool.completed').map(ev => [ev.call_id, Date.parse(ev.ts)]))
  return {
    spans: times('tool.started').map(ev => ({
      from: Date.parse(ev.ts),
      to: ended.get(ev.call_id) ?? Number.NaN,
    })),
    message_end: Date.parse(times('turn.completed')[0]?.ts ?? ''),
  }
}

const mostAtOnce = (spans: readonly Span[]): number =>
  Math.max(...spans.map(({ from: now }) => spans.filter(({ from, to }) => from <= now && now < to).length))
