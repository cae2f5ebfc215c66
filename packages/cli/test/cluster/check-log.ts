/** What must hold of every log, whatever happened while it was written. Pure. */
import { endsRun, type Rec, type SessionEvent } from '@toolwire/core'

/** Violations as sentences; none for the valid log of an idle session, at its end or at a pause. */
export function checkLog(session: string, records: readonly Rec[]): readonly string[] {
  const problems: string[] = []
  const say = (text: string): void => void problems.push(`${session}: ${text}`)
  checkOrder(records, say)
  checkRuns(records, say)
  checkAgents(records, say)
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

const add = (counts: Map<string, number>, id: string): void => void counts.set(id, (counts.get(id) ?? 0) + 1)

/** A subagent starts once and finishes once, unless it waits for an answer. */
function checkAgents(records: readonly Rec[], say: Say): void {
  const begun = new Map<string, number>()
  const finished = new Map<string, number>()
  for (const { ev } of records) {
    if (ev.type === 'agent.started') add(begun, ev.agent_run_id)
    if (ev.type === 'agent.finished') add(finished, ev.agent_run_id)
  }
  const { agents } = waitingIn(records)
  for (const [agent, count] of begun) if (count !== 1) say(`agent ${agent} has ${count} beginnings`)
  for (const agent of new Set([...begun.keys(), ...finished.keys()])) {
    const count = finished.get(agent) ?? 0
    if (count !== 1 && !(count === 0 && agents.has(agent))) say(`agent ${agent} has ${count} ends`)
  }
}

/** Every call in the log ends once: also one that never started. */
function checkCalls(records: readonly Rec[], say: Say): void {
  const ended = new Map<string, number>()
  const announced = new Set<string>()
  const aborted = abortedCalls(records)
  for (const { ev } of records) {
    const call = announcedBy(ev)
    if (call !== undefined) announced.add(call)
    if (ev.type === 'tool.completed' || ev.type === 'tool.failed') add(ended, ev.call_id)
  }
  const { calls } = waitingIn(records)
  for (const [call, count] of ended) {
    if (count !== 1) say(`call ${call} has ${count} ends`)
    if (calls.has(call)) say(`call ${call} is waited for and has ended`)
  }
  for (const call of announced)
    if (!ended.has(call) && !aborted.has(call) && !calls.has(call)) say(`call ${call} never ended`)
}

/** A provider's own calls begin and end within its message. */
function announcedBy(ev: SessionEvent): string | undefined {
  switch (ev.type) {
    case 'block.started':
      return ev.kind === 'tool_use' ? ev.tool?.call_id : undefined
    case 'tool.ready':
    case 'tool.approval_requested':
    case 'tool.client_requested':
    case 'tool.queued':
    case 'tool.started':
      return ev.call_id
    default:
      return undefined
  }
}

/** Calls of aborted messages: the model never sees them, so they need no end, even where a read had started. */
function abortedCalls(records: readonly Rec[]): ReadonlySet<string> {
  const messages = new Set(
    records.flatMap(({ ev }) => (ev.type === 'message.aborted' ? [ev.message_id] : [])),
  )
  return new Set(
    records.flatMap(({ ev }) =>
      ev.type === 'block.started' && ev.tool && messages.has(ev.message_id) ? [ev.tool.call_id] : [],
    ),
  )
}

interface Waiting {
  readonly calls: ReadonlySet<string>
  readonly agents: ReadonlySet<string>
}

/**
 * Items that may be open at the end of the log: what the latest run of an agent paused for and, with that, the
 * calls that work through the paused agent and those that must come after one of them.
 */
function waitingIn(records: readonly Rec[]): Waiting {
  const paused = new Map<string, readonly string[]>()
  const parents = new Map<string, string>()
  const held = new Map<string, readonly string[]>()
  for (const { ev } of records) {
    const agent = ev.agent_run_id ?? ''
    if (ev.type === 'run.paused')
      paused.set(
        agent,
        ev.pending.map(item => item.call_id),
      )
    else if (ev.type === 'run.started' || ev.type === 'run.resumed' || endsRun(ev.type)) paused.delete(agent)
    else if (ev.type === 'agent.started') parents.set(ev.agent_run_id, ev.parent_call_id)
    else if (ev.type === 'agent.finished') paused.delete(ev.agent_run_id)
    else if (ev.type === 'note' && ev.name.startsWith(HELD) && Array.isArray(ev.value))
      held.set(ev.name.slice(HELD.length), ev.value.map(String))
  }
  const calls = new Set([...paused.values()].flat())
  const agents = new Set([...paused.keys()].filter(agent => agent !== ''))
  for (const agent of agents) {
    const parent = parents.get(agent)
    if (parent !== undefined) calls.add(parent)
  }
  for (const [call, after] of held) if (after.some(other => calls.has(other))) calls.add(call)
  return { calls, agents }
}

const HELD = 'held:'
