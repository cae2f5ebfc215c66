/** What must hold of every log, whatever happened while it was written. Pure. */
import { endsRun, type Rec } from '@toolwire/core'

/** Sentences about what does not hold; none for the sound log of a session at rest. */
export function checkLog(session: string, records: readonly Rec[]): readonly string[] {
  const problems: string[] = []
  const say = (text: string): void => void problems.push(`${session}: ${text}`)
  checkOrder(records, say)
  checkRuns(records, say)
  checkCalls(records, say)
  return problems
}

type Say = (text: string) => void

function checkOrder(records: readonly Rec[], say: Say): void {
  let epoch = 0
  for (const [i, rec] of records.entries()) {
    if (rec.seq !== i + 1) {
      say(`event ${i + 1} is numbered ${rec.seq}`)
      return
    }
    if (rec.epoch < epoch) say(`event ${rec.seq} has epoch ${rec.epoch} after ${epoch}`)
    epoch = rec.epoch
  }
}

function checkRuns(records: readonly Rec[], say: Say): void {
  const ends = new Map<string, number>()
  for (const { ev } of records) {
    if (ev.run_id === undefined || ev.agent_run_id !== undefined) continue
    if (ev.type === 'run.started') ends.set(ev.run_id, ends.get(ev.run_id) ?? 0)
    if (endsRun(ev.type)) ends.set(ev.run_id, (ends.get(ev.run_id) ?? 0) + 1)
  }
  for (const [run, count] of ends) if (count !== 1) say(`run ${run} has ${count} ends`)
}

function checkCalls(records: readonly Rec[], say: Say): void {
  const started = new Map<string, number>()
  const ended = new Map<string, number>()
  const add = (counts: Map<string, number>, id: string): void =>
    void counts.set(id, (counts.get(id) ?? 0) + 1)
  for (const { ev } of records) {
    if (ev.type === 'tool.started') add(started, ev.call_id)
    if (ev.type === 'tool.completed' || ev.type === 'tool.failed') add(ended, ev.call_id)
  }
  for (const [call, count] of ended) if (count !== 1) say(`call ${call} has ${count} ends`)
  for (const call of started.keys()) if (!ended.has(call)) say(`call ${call} was started and never ended`)
}
