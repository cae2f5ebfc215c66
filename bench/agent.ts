/** The loop around the model: what a round with a tool costs, and whether calls of one message run side by side. */
import { startMeasured } from './child.ts'
import type { Contestant } from './contestant.ts'
import { type Knobs, knobsName } from './knobs.ts'
import { cpuMicros } from './process-meter.ts'
import { UI_MESSAGES } from './road.ts'
import { forkHelper } from './spawn-subject.ts'

export interface RoundCost {
  readonly name: string
  readonly wall_ms: number[]
  readonly cpu_ms: number[]
}

export interface Overlap {
  readonly calls: number
  readonly tool_ms: number
  /** From the start of the first call to the end of the last. */
  readonly span_ms: number
  /** How long before the end of the model's message the first call began. */
  readonly ahead_ms: number
}

interface Report {
  readonly calls: readonly { readonly started: number; readonly ended: number }[]
  readonly message_end: number
  readonly cpu_us: number
}

/** Milliseconds per round of one call, ours beside those of `peers` that serve tools. */
export async function rounds(
  peers: readonly Contestant[],
  perRun: number,
  repeats: number,
): Promise<readonly RoundCost[]> {
  const upstream = await forkHelper('./upstream-server.ts')
  const model = knobsName('claude-bench', { d: 3, r: perRun })
  const rows = new Map<string, RoundCost>()
  const note = (name: string, wall: number, cpu: number): void => {
    const row = rows.get(name) ?? { name, wall_ms: [], cpu_ms: [] }
    row.wall_ms.push(wall / perRun)
    row.cpu_ms.push(cpu / perRun)
    rows.set(name, row)
  }
  try {
    for (let repeat = 0; repeat < repeats; repeat++) {
      await ours(upstream.url, model, note)
      for (const peer of peers) await theirs(peer, upstream.url, model, note)
    }
  } finally {
    await upstream.stop()
  }
  return [...rows.values()]
}

type Note = (name: string, wall: number, cpu: number) => void

async function ours(upstream: string, model: string, note: Note): Promise<void> {
  const server = await startAgent(upstream, model)
  try {
    await talk(server.url)
    const { cpu_us: before } = await server.report()
    const started = performance.now()
    await talk(server.url)
    const wall = performance.now() - started
    const { cpu_us: after } = await server.report()
    note('toolwire', wall, (after - before) / 1000)
  } finally {
    await server.stop()
  }
}

async function theirs(peer: Contestant, upstream: string, model: string, note: Note): Promise<void> {
  const subject = await peer.start(upstream)
  const ask = async (): Promise<void> => {
    const body = JSON.stringify(UI_MESSAGES.body(model, undefined))
    const response = await fetch(`${subject.url}${UI_MESSAGES.path}`, { method: 'POST', body })
    const text = await response.text()
    if (!text.includes('done ')) throw new Error(`no tool ran: ${text.slice(-300)}`)
  }
  try {
    await ask()
    const before = cpuMicros(subject.pid)
    const started = performance.now()
    await ask()
    note(peer.name, performance.now() - started, (cpuMicros(subject.pid) - before) / 1000)
  } finally {
    await subject.stop()
  }
}

/** Calls of one message that take `tool_ms` each, while the model is silent for `gap_ms` after each of them. */
export async function overlap(calls: number, tool_ms: number, gap_ms: number): Promise<Overlap> {
  const upstream = await forkHelper('./upstream-server.ts')
  const knobs: Partial<Knobs> = { d: 3, r: 1, p: calls, m: tool_ms, q: gap_ms }
  const server = await startAgent(upstream.url, knobsName('claude-bench', knobs))
  try {
    await talk(server.url)
    const report = await server.report()
    const first = Math.min(...report.calls.map(call => call.started))
    if (report.calls.length !== calls) throw new Error(`${report.calls.length} of ${calls} calls ran`)
    return {
      calls,
      tool_ms,
      span_ms: Math.max(...report.calls.map(call => call.ended)) - first,
      ahead_ms: report.message_end - first,
    }
  } finally {
    await server.stop()
    await upstream.stop()
  }
}

const startAgent = (UPSTREAM: string, MODEL: string) =>
  startMeasured<Report>('./agent-server.ts', { env: { UPSTREAM, MODEL } })

async function talk(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const made = await fetch(`${url}/api/sessions`, { method: 'POST', headers, body: '{}' })
  const { id } = (await made.json()) as { id: string }
  const body = JSON.stringify({ session_id: id, message: 'go' })
  const text = await (await fetch(`${url}/api/chat/stream`, { method: 'POST', headers, body })).text()
  if (!text.includes('"type":"done"') || !text.includes('done '))
    throw new Error(`no end: ${text.slice(-400)}`)
}
