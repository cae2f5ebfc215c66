/**
 * Deadlines of approvals and client tools. A deadline is data in the log and one wake-up time in the store; no
 * timer runs for it. After it has passed, the runtime answers under the same key as any other author: the first
 * answer wins.
 */
import type { Withdrawal } from '@toolwire/core'
import {
  type AgentState,
  type Append,
  approvalKey,
  type CallState,
  isWaiting,
  outputKey,
  type SessionEvent,
  type SessionState,
} from '@toolwire/core'

const NOBODY = 'Nobody answered in time.'

/** The answers that the clock gives now; appended like any other input. */
export function dueAnswers(session: string, state: SessionState, now: Date): readonly Append[] {
  return agentsOf(state).flatMap(({ agent_run_id, agent }) =>
    agent.calls
      .filter(call => (deadlineOf(call) ?? Number.POSITIVE_INFINITY) <= now.getTime())
      .map(call => toAppend(session, call, { ts: now.toISOString(), agent_run_id })),
  )
}

/** The answer to a question that is no longer needed: the call continues by itself. */
export function toWithdrawal(session: string, question: Withdrawal, now: Date): Append {
  const { approval_id, call_id, agent_run_id, reason } = question
  const event: SessionEvent = {
    type: 'input.approval',
    ts: now.toISOString(),
    ...(agent_run_id === undefined ? {} : { agent_run_id }),
    approval_id,
    call_id,
    decision: 'expired',
    reason,
    by: 'system',
  }
  return { session, events: [event], key: approvalKey(approval_id), state: 'running' }
}

/** The time of the next expiry if no answer arrives; null without one. */
export function nextDeadline(state: SessionState): number | null {
  const all = agentsOf(state).flatMap(({ agent }) => agent.calls.map(deadlineOf))
  const known = all.filter(one => one !== undefined)
  return known.length > 0 ? Math.min(...known) : null
}

interface AgentEntry {
  readonly agent_run_id?: string
  readonly agent: AgentState
}

const agentsOf = (state: SessionState): readonly AgentEntry[] => [
  { agent: state },
  ...Object.values(state.agents).map(agent => ({ agent_run_id: agent.agent_run_id, agent })),
]

function deadlineOf(call: CallState): number | undefined {
  if (!isWaiting(call)) return undefined
  const text = call.approval && !call.approval.decision ? call.approval.expires_at : call.client?.deadline
  return text === undefined ? undefined : Date.parse(text)
}

function toAppend(
  session: string,
  call: CallState,
  at: { readonly ts: string; readonly agent_run_id?: string },
): Append {
  const asking = call.approval && !call.approval.decision ? call.approval : undefined
  const event: SessionEvent = asking
    ? {
        type: 'input.approval',
        ...at,
        approval_id: asking.approval_id,
        call_id: call.call_id,
        decision: 'expired',
        reason: NOBODY,
        by: 'system',
      }
    : {
        type: 'input.tool_output',
        ...at,
        call_id: call.call_id,
        output_text: NOBODY,
        is_error: true,
        by: 'system',
        expired: true,
      }
  const key = asking ? approvalKey(asking.approval_id) : outputKey(call.message_id, call.call_id)
  return { session, events: [event], key }
}
