/** A page that opens a thread again: its messages in one frame, what waits, and then the run in progress, if any. */
import { type Facts, isBusy, pendingOf, readPages } from '@toolwire/core'
import { yieldToLoop } from '@toolwire/session'
import { type AgUiRequest, createAgUiFold, type InterruptReason, toInterrupt } from '@toolwire/wire'
import { selectShownRecords } from '../branches/branch-records.ts'
import type { ServerContext } from '../context.ts'
import { findAlias } from '../front-end/alias-session.ts'
import type { StreamPlan } from '../stream/answer-stream.ts'
import { toPlan, toWire } from './start-run.ts'

interface ThreadConnection {
  readonly text: string
  /** The text comes first in it; absent when nothing runs. */
  readonly plan?: StreamPlan
}

/** Undefined for a thread that the owner does not have. */
export async function connectThread(
  context: ServerContext,
  request: AgUiRequest,
  reason: InterruptReason,
): Promise<ThreadConnection | undefined> {
  const row = await findAlias(context, request.thread_id)
  if (!row) return undefined
  const fold = createAgUiFold(row.id)
  const state = await readThread(context, row.id, fold.step)
  const facts = await context.sessions.facts(row.id)
  const running = runningRun(facts)
  const ids = { threadId: request.thread_id, runId: request.run_id }
  const events = [
    { type: 'RUN_STARTED', ...ids },
    { type: 'MESSAGES_SNAPSHOT', messages: running === undefined ? fold.messages() : fold.settled() },
    ...(state === undefined ? [] : [{ type: 'STATE_SNAPSHOT', snapshot: state }]),
    { type: 'RUN_FINISHED', ...ids, ...outcomeOf(facts, running, reason) },
  ]
  const text = events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')
  if (running === undefined) return { text }
  const live = toWire({ ...request, run_id: running }, reason)
  return { text, plan: { ...toPlan(row.id, live, { kind: 'run', run_id: running }), prelude: text } }
}

/** The run in progress, or the first that is queued. */
function runningRun(facts: Facts): string | undefined {
  if (!isBusy(facts)) return undefined
  const agents = new Set(facts.background.map(agent => agent.id))
  return facts.open.find(id => !agents.has(id))
}

function outcomeOf(facts: Facts, running: string | undefined, interrupt_reason: InterruptReason) {
  const asked = pendingOf(facts).filter(item => item.kind !== 'client_tool')
  if (running !== undefined || asked.length === 0) return {}
  const options = { interrupt_reason }
  const interrupts = asked.map(item => toInterrupt({ options, calls: new Map() }, item))
  return { outcome: { type: 'interrupt', interrupts } }
}

/** Steps every record; returns the page's latest state. */
async function readThread(
  context: ServerContext,
  session: string,
  step: ReturnType<typeof createAgUiFold>['step'],
): Promise<unknown> {
  let state: unknown
  const select = await selectShownRecords(context, session)
  for await (const records of readPages(context.sessions.reader, session, { after: 0 })) {
    for (const rec of records.flatMap(select)) {
      step(rec)
      if (rec.ev.type === 'note' && rec.ev.name === 'client_state') state = rec.ev.value
    }
    await yieldToLoop()
  }
  return state
}
