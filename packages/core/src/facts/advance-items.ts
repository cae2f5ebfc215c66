/** Calls and approvals from their first event to their last. */
import type { EventOf, Rec } from '../event.ts'
import type { ApprovalFact, CallFact, EndedApproval, EndedCall, Facts } from './facts.ts'

/** Ended calls, and ended approvals, that are kept. */
const KEPT = 512

export function advanceCall(facts: Facts, { seq, ev }: Rec): Facts {
  switch (ev.type) {
    case 'block.started':
      return announce(facts, ev)
    case 'tool.ready':
      return changeCall(facts, ev.call_id, call => ({ ...call, input_text: ev.input_text }))
    case 'tool.client_requested':
      return changeCall(facts, ev.call_id, call => ({ ...call, isAsked: true, input_text: ev.input_text }))
    case 'input.tool_output':
      return changeCall(facts, ev.call_id, call => ({ answeredAt: seq, ...call }))
    case 'tool.completed':
    case 'tool.failed':
      return endCall(facts, ev.call_id)
    default:
      return facts
  }
}

export function advanceApproval(facts: Facts, { seq, ev }: Rec): Facts {
  switch (ev.type) {
    case 'tool.approval_requested': {
      const { approval_id, call_id, agent_run_id } = ev
      const fact: ApprovalFact = {
        approval_id,
        call_id,
        request: ev,
        ...(agent_run_id === undefined ? {} : { agent_run_id }),
      }
      return {
        ...facts,
        approvals: [...facts.approvals.filter(one => one.approval_id !== approval_id), fact],
      }
    }
    case 'input.approval':
      return changeApproval(facts, ev.approval_id, fact => ({ answeredAt: seq, ...fact }))
    case 'tool.approval_resolved': {
      const fact = facts.approvals.find(one => one.approval_id === ev.approval_id)
      if (!fact) return facts
      const { decision, reason } = ev
      const ended = { ...toEndedApproval(fact), decision, ...(reason === undefined ? {} : { reason }) }
      return keepApprovals({ ...facts, approvals: facts.approvals.filter(one => one !== fact) }, [ended])
    }
    default:
      return facts
  }
}

/** Ends the open items that match. An approval without an answer is dropped: no answer can reach it any more. */
export function closeItems(
  facts: Facts,
  matches: (item: { readonly agent_run_id?: string }) => boolean,
): Facts {
  const isOver = (fact: ApprovalFact): boolean => matches(fact)
  const answered = facts.approvals.filter(fact => isOver(fact) && fact.answeredAt !== undefined)
  const closed = endCalls(facts, matches)
  if (!facts.approvals.some(isOver)) return closed
  const open = { ...closed, approvals: facts.approvals.filter(fact => !isOver(fact)) }
  return keepApprovals(open, answered.map(toEndedApproval))
}

function announce(facts: Facts, { tool, message_id, agent_run_id }: EventOf<'block.started'>): Facts {
  if (!tool) return facts
  const { call_id, name } = tool
  const fact: CallFact = {
    call_id,
    name,
    message_id,
    input_text: '',
    isAsked: false,
    ...(agent_run_id === undefined ? {} : { agent_run_id }),
  }
  const isOther = (call: { readonly call_id: string }): boolean => call.call_id !== call_id
  const { ended } = facts
  return {
    ...facts,
    calls: [...(facts.calls.every(isOther) ? facts.calls : facts.calls.filter(isOther)), fact],
    ended: ended.calls.every(isOther) ? ended : { ...ended, calls: ended.calls.filter(isOther) },
  }
}

function changeCall(facts: Facts, id: string, change: (call: CallFact) => CallFact): Facts {
  const at = facts.calls.findIndex(call => call.call_id === id)
  const call = facts.calls[at]
  return call ? { ...facts, calls: facts.calls.with(at, change(call)) } : facts
}

function changeApproval(facts: Facts, id: string, change: (fact: ApprovalFact) => ApprovalFact): Facts {
  if (!facts.approvals.some(fact => fact.approval_id === id)) return facts
  return { ...facts, approvals: facts.approvals.map(fact => (fact.approval_id === id ? change(fact) : fact)) }
}

/** On its own: a message may have thousands of calls, and each ends alone. */
function endCall(facts: Facts, id: string): Facts {
  const at = facts.calls.findIndex(call => call.call_id === id)
  const call = facts.calls[at]
  return call ? addEndedCalls({ ...facts, calls: facts.calls.toSpliced(at, 1) }, [call]) : facts
}

function endCalls(facts: Facts, isOver: (call: CallFact) => boolean): Facts {
  const over = facts.calls.filter(isOver)
  if (over.length === 0) return facts
  return addEndedCalls({ ...facts, calls: facts.calls.filter(call => !isOver(call)) }, over)
}

function addEndedCalls(facts: Facts, over: readonly CallFact[]): Facts {
  const { ended } = facts
  const calls = [...ended.calls, ...over.map(toEndedCall)]
  return {
    ...facts,
    ended: { ...ended, calls: calls.slice(-KEPT), isTruncated: ended.isTruncated || calls.length > KEPT },
  }
}

function keepApprovals(facts: Facts, more: readonly EndedApproval[]): Facts {
  if (more.length === 0) return facts
  const { ended } = facts
  const approvals = [...ended.approvals, ...more]
  return {
    ...facts,
    ended: {
      ...ended,
      approvals: approvals.slice(-KEPT),
      isTruncated: ended.isTruncated || approvals.length > KEPT,
    },
  }
}

const toEndedCall = ({ input_text: _, ...call }: CallFact): EndedCall => call

function toEndedApproval({ request, ...fact }: ApprovalFact): EndedApproval {
  return request.kind === undefined ? fact : { ...fact, kind: request.kind }
}
