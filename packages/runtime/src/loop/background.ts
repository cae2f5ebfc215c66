/**
 * Background agents of a session. Each is driven like any other, beside the root agent and beyond its runs, while
 * this process owns the session; its end becomes one message under its own idempotency key, so that no crash can
 * duplicate or lose it.
 */
import {
  type Append,
  type ContentPart,
  next,
  type SessionEvent,
  type SessionLog,
  type SessionState,
  type SubagentState,
  safeHead,
  type ToolSystem,
} from '@toolwire/core'
import { createAgentPort } from './agent-port.ts'
import { drive } from './drive.ts'
import type { Journal } from './journal.ts'
import { type AgentNotice, describeEnd, toFinished } from './run-agent.ts'
import { createStepContexts, type StepContextOptions, type StepContexts } from './step-contexts.ts'

export interface BackgroundAgents {
  /** Drives those that can continue; those already driven are left alone. */
  readonly start: () => void
  /** Resolves when one of them stops or `look` was called; at once when none is driven. */
  readonly changed: () => Promise<void>
  readonly busy: () => boolean
  /** New inputs are in the folded state. */
  readonly look: () => void
  /** Reports unreported ends. True if there was one. */
  readonly tell: () => Promise<boolean>
  /** Resolves when none is driven any more. Rejects with the first failure to write the log. */
  readonly stopped: () => Promise<void>
}

export interface BackgroundOptions extends StepContextOptions {
  readonly log: SessionLog
  readonly newUuid: () => string
}

export function createBackgroundAgents(
  journal: Journal,
  options: BackgroundOptions,
  stop: AbortSignal,
): BackgroundAgents {
  const driven = new Map<string, { readonly work: StepContexts; readonly done: Promise<void> }>()
  let failure: unknown
  let rung = false
  let wake: () => void = () => {}
  function ring(): void {
    rung = true
    wake()
  }

  async function run(id: string, work: StepContexts): Promise<void> {
    const port = createAgentPort(journal, options.clock, id)
    await drive(port, options.deps, work.next, stop)
    const agent = journal.state.agents[id]
    if (agent?.ended && !agent.finished) await port.commit(toFinished(agent, port))
  }

  function begin(id: string): void {
    const port = createAgentPort(journal, options.clock, id)
    const work = createStepContexts(port, options, stop)
    const done = run(id, work)
      .catch(error => {
        failure ??= error
      })
      .finally(() => {
        driven.delete(id)
        // An answer may have arrived just before it became idle.
        start()
        ring()
      })
    driven.set(id, { work, done })
  }

  async function tell(): Promise<boolean> {
    const untold = Object.values(journal.state.agents).filter(isUntold)
    if (untold.length === 0) return false
    const ts = options.clock.now().toISOString()
    const notices = untold.map(async agent => {
      const notice = await toReport(journal.session, agent, options.deps.tools)
      return toNotice(journal.session, agent, { ts, run_id: options.newUuid(), notice })
    })
    await options.log.append(await Promise.all(notices))
    await journal.catchUp()
    return true
  }

  function start(): void {
    if (failure !== undefined || stop.aborted) return
    for (const agent of Object.values(journal.state.agents))
      if (!driven.has(agent.agent_run_id) && canGoOn(agent, journal.state)) begin(agent.agent_run_id)
  }

  return {
    start,
    busy: () => driven.size > 0,
    async changed() {
      if (failure !== undefined) throw failure
      if (driven.size > 0 && !rung)
        await new Promise<void>(resolve => {
          wake = resolve
        })
      rung = false
      if (failure !== undefined) throw failure
    },
    look() {
      for (const { work } of driven.values()) work.checkCancel()
      start()
      ring()
    },
    tell,
    async stopped() {
      await Promise.all([...driven.values()].map(one => one.done))
      if (failure !== undefined) throw failure
    },
  }
}

function canGoOn(agent: SubagentState, { agents }: SessionState): boolean {
  if (!agent.spec.background || agent.finished) return false
  return agent.ended !== undefined || (agent.run !== undefined && next(agent, agents).do !== 'rest')
}

/** True if a background agent waits for an external answer: the session is not finished. */
export const hasWaitingAgents = (state: SessionState): boolean =>
  Object.values(state.agents).some(agent => agent.spec.background && !agent.finished)

const isUntold = (agent: SubagentState): boolean =>
  agent.spec.background === true && agent.finished !== undefined

const MAX_REPORT = 30_000

/** Its end in words; a long report is cut, and said to be in the file of its call, where it is whole. */
async function toReport(session: string, agent: SubagentState, tools: ToolSystem): Promise<AgentNotice> {
  const { fact, report } = describeEnd(agent)
  const whole = report === '' ? fact : `${fact}\n${report}`
  const path = await tools.keepReport?.(session, agent.spec.parent_call_id, whole)
  if (report.length <= MAX_REPORT) return { fact, report }
  const where = path === undefined ? 'The whole could not be stored.' : `The whole is in ${path}`
  const cut = `[Cut: ${report.length - MAX_REPORT} of ${report.length} characters are not shown. ${where}]`
  return { fact: `${fact}\n${cut}`, report: safeHead(report, MAX_REPORT) }
}

const toContent = ({ fact, report }: AgentNotice, agent_run_id: string): ContentPart[] => [
  { type: 'text', text: fact },
  ...(report === '' ? [] : [{ type: 'text', text: report, outside: `agent ${agent_run_id}` } as const]),
]

function toNotice(
  session: string,
  agent: SubagentState,
  { notice, ...at }: { readonly ts: string; readonly run_id: string; readonly notice: AgentNotice },
): Append {
  const { agent_run_id } = agent
  const event: SessionEvent = {
    type: 'input.message',
    ...at,
    message_id: `msg_${agent_run_id}`,
    role: 'system',
    content: toContent(notice, agent_run_id),
    if_paused: 'queue',
    notifies: agent_run_id,
    ...(agent.spec.allowed_models ? { allowed_models: agent.spec.allowed_models } : {}),
  }
  return { session, events: [event], key: `agent:${agent_run_id}`, state: 'running' }
}
