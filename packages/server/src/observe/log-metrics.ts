/** Metrics of runs, tools, approvals and models, derived from commits to the log. */
import type { SessionEvent, Store } from '@toolwire/core'
import { RecentMap } from '@toolwire/core'
import { findInLog } from './find-in-log.ts'
import type { Instruments } from './instruments.ts'
import type { StoreObserver } from './observe-store.ts'

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 1800]
const WAITING = [1, 5, 15, 60, 300, 1800, 7200, 86_400, 604_800]
const APPEND = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
/** Open calls and approvals whose start is remembered. */
const KEEP = 50_000
/** Model names come from requests, so only this many get a separate series. */
const MODELS = 50

type Handler = (session: string, event: SessionEvent) => void
type Handlers = {
  readonly [T in SessionEvent['type']]?: (session: string, event: Extract<SessionEvent, { type: T }>) => void
}

/** `log` is where approvals are looked up that another process asked for; without it their waits are not counted. */
export function observeLog(instruments: Instruments, log?: Pick<Store, 'read'>): StoreObserver {
  const { counter, histogram } = instruments
  const append = histogram('toolwire_append_seconds', 'Time from append to commit.', APPEND)
  const events = counter('toolwire_events_total', 'Events committed.')
  const runs = counter('toolwire_runs_total', 'Runs that began, paused or ended, by what happened.')
  const calls = counter('toolwire_tool_calls_total', 'Tool calls that ended, by tool and outcome.')
  const duration = histogram('toolwire_tool_duration_seconds', 'Run time of tool calls.', SECONDS)
  const approvals = counter('toolwire_approvals_total', 'Approvals asked for and decided.')
  const waited = histogram('toolwire_approval_wait_seconds', 'Time until an approval was decided.', WAITING)
  const tokens = counter('toolwire_tokens_total', 'Tokens by model and kind.')
  const cost = counter('toolwire_cost_usd_total', 'Cost in dollars by model, as far as prices are known.')
  const unpriced = counter('toolwire_unpriced_turns_total', 'Answers of models whose price is not known.')
  const names = new RecentMap<string, string>(KEEP)
  const asked = new RecentMap<string, number>(KEEP)
  /** Models that are at an answer. */
  const asking = new RecentMap<string, string>(KEEP)
  const models = new Set<string>()

  function ended(call: string, outcome: string, ms: number): void {
    const tool = names.take(call) ?? 'other'
    calls.add(1, { tool, outcome })
    duration.observe(ms / 1000, { tool })
  }
  function spent(event: UsageEvent, named = 'unknown'): void {
    // A message aborted before its provider reported usage has none.
    if (!event.usage) return
    if (models.size < MODELS) models.add(named)
    const model = models.has(named) ? named : 'other'
    for (const [kind, amount] of Object.entries(event.usage))
      if (typeof amount === 'number' && amount > 0) tokens.add(amount, { model, kind })
    if (event.cost_usd === undefined) unpriced.add(1, { model })
    else cost.add(event.cost_usd, { model })
  }
  const decided = (event: ResolvedEvent, since: number): void =>
    waited.observe((Date.parse(event.ts) - since) / 1000)
  async function lookUpWait(session: string, event: ResolvedEvent): Promise<void> {
    if (!log) return
    const isIt = (one: { readonly approval_id: string }): boolean => one.approval_id === event.approval_id
    // A missing metric is no reason to fail.
    const question = await findInLog(log, session, 'tool.approval_requested', isIt).catch(() => undefined)
    if (question) decided(event, Date.parse(question.ts))
  }
  const on: Handlers = {
    'run.started': () => runs.add(1, { event: 'started' }),
    'run.paused': (_, event) => runs.add(1, { event: `paused_${event.reason}` }),
    'run.completed': () => runs.add(1, { event: 'completed' }),
    'run.failed': () => runs.add(1, { event: 'failed' }),
    'run.cancelled': () => runs.add(1, { event: 'cancelled' }),
    'tool.ready': (session, event) => names.set(`${session}:${event.call_id}`, toolLabel(event)),
    'tool.completed': (session, event) =>
      ended(`${session}:${event.call_id}`, event.is_error ? 'error' : 'ok', event.duration_ms),
    'tool.failed': (session, event) =>
      ended(`${session}:${event.call_id}`, event.error.layer, event.duration_ms),
    'tool.approval_requested'(_, event) {
      approvals.add(1, { event: 'requested' })
      asked.set(event.approval_id, Date.parse(event.ts))
    },
    'tool.approval_resolved'(session, event) {
      approvals.add(1, { event: event.decision })
      const since = asked.take(event.approval_id)
      if (since === undefined) void lookUpWait(session, event)
      else decided(event, since)
    },
    'turn.started': (session, event) => asking.set(turnKey(session, event), event.model),
    'turn.completed': (session, event) => {
      const asked = asking.take(turnKey(session, event))
      spent(event, event.model ?? asked)
    },
    'message.aborted': (session, event) => spent(event, asking.take(turnKey(session, event))),
  }
  const see = (session: string, event: SessionEvent): void =>
    (on[event.type] as Handler | undefined)?.(session, event)
  return (write, answer, ms) => {
    append.observe(ms / 1000)
    if (!('head' in answer)) return
    events.add(write.events.length)
    for (const event of write.events) see(write.session, event)
  }
}

type ResolvedEvent = Extract<SessionEvent, { type: 'tool.approval_resolved' }>
type UsageEvent = Extract<SessionEvent, { type: 'turn.completed' | 'message.aborted' }>

/** An agent asks one model at a time. */
const turnKey = (session: string, { run_id, agent_run_id }: SessionEvent): string =>
  `${session}:${run_id}:${agent_run_id ?? ''}`

/** Tools of ours by name; those of clients and of MCP servers are too many to have a series each. */
function toolLabel(event: Extract<SessionEvent, { type: 'tool.ready' }>): string {
  if (event.executor === 'client') return 'client'
  if (event.name.startsWith('mcp__')) return 'mcp'
  return /^[A-Za-z]{1,32}$/.test(event.name) ? event.name : 'other'
}
