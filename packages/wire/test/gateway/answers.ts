/** Answers inside random logs: what each run's frames must amount to, read from the log without any projection. */
import type { Rec, SessionEvent } from '@toolwire/core'
import { encodeSse, type Frame, type Wire } from '../../src/index.ts'
import { randomLog } from '../random-log.ts'

export interface LoggedAnswer {
  readonly run_id: string
  readonly sse: string
  readonly frames: readonly Frame[]
  readonly text: string
  readonly thinking: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input_text: string }[]
  /** It ends in an error: the run failed, or its sent text was interrupted. */
  readonly fails: boolean
  /** It ends by asking the client to run calls. */
  readonly asks: boolean
}

/** A random log in which every second call is its client's. */
export function gatewayLog(seed: number): readonly Rec[] {
  return randomLog(seed, { runs: 4 }).map(rec => ({ ...rec, ev: withClient(rec.ev) }))
}

function withClient(ev: SessionEvent): SessionEvent {
  if (ev.type !== 'block.started' || !ev.tool || Number(ev.tool.call_id.replace(/\D/g, '')) % 2 === 0)
    return ev
  return { ...ev, tool: { ...ev.tool, executor: 'client' } }
}

export function answersOf(log: readonly Rec[], wire: Wire, options: object): readonly LoggedAnswer[] {
  const step = wire.open({ session_id: 's', options: { ...options } })
  const framed = log.map(rec => ({ rec, frames: step(rec) }))
  const runs = [
    ...new Set(log.flatMap(({ ev }) => (ev.type === 'run.started' && ev.run_id ? [ev.run_id] : []))),
  ]
  return runs.map(run_id => {
    const mine = framed.filter(({ rec }) => rec.ev.run_id === run_id)
    const frames = mine.flatMap(({ frames: made }) => made)
    const sse = frames.map((frame, k) => encodeSse({ ...frame, id: `s.1.${k}` })).join('')
    const events = mine.map(({ rec }) => rec.ev).filter(ev => ev.agent_run_id === undefined)
    return { run_id, sse, frames, ...readRun(events) }
  })
}

type Reading = Omit<LoggedAnswer, 'run_id' | 'sse' | 'frames'>

function readRun(events: readonly SessionEvent[]): Reading {
  const kinds = new Map<string, SessionEvent & { type: 'block.started' }>()
  const aborted = new Set(events.flatMap(ev => (ev.type === 'message.aborted' ? [ev.message_id] : [])))
  const calls: { id: string; name: string; input_text: string }[] = []
  let text = ''
  let thinking = ''
  let broke = false
  let fails = false
  let asks = false
  for (const ev of events) {
    if (ev.type === 'turn.started' && broke) fails = true
    if (fails) break
    if (ev.type === 'block.started') kinds.set(ev.block_id, ev)
    if (ev.type === 'block.delta' && aborted.has(kinds.get(ev.block_id)?.message_id ?? '') && ev.text)
      broke = true
    if (ev.type === 'block.completed') {
      const start = kinds.get(ev.block_id)
      text += ev.text ?? ''
      thinking += ev.thinking ?? ''
      if (start?.tool?.executor === 'client')
        calls.push({ id: start.tool.call_id, name: start.tool.name, input_text: ev.input_text ?? '' })
    }
    if (ev.type === 'run.paused')
      for (const item of ev.pending)
        if (item.kind === 'client_tool' && !calls.some(call => call.id === item.call_id))
          calls.push({ id: item.call_id, name: item.name, input_text: item.input_text })
    if (ev.type === 'run.failed') fails = true
    if (ev.type === 'run.paused') asks = ev.pending.some(item => item.kind === 'client_tool')
  }
  return { text, thinking, calls, fails, asks }
}

/** A `fetch` that answers every request with these bytes, cut in awkward places. */
export function answering(sse: string): typeof fetch {
  return async () => {
    const bytes = new TextEncoder().encode(sse)
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 997) controller.enqueue(bytes.slice(at, at + 997))
        controller.close()
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
}

export const SEEDS: readonly number[] = Array.from({ length: 60 }, (_, i) => i * 7919 + 1)
