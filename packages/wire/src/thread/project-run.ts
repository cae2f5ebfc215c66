/** Conversations: started, resumed, paused, ended. Nested agents have none. */

import { type EventOf, type Failure, type PendingItem, sumUsage, type Usage } from '@toolwire/core'
import { callKey, withoutEntry } from '../shared/map-entry.ts'
import { type Frame, NO_FRAMES } from '../wire.ts'
import { closeBlocks } from './close-blocks.ts'
import { toErrorCode, toStatus } from './error-codes.ts'
import { toArguments } from './json-text.ts'
import { closeIteration } from './project-turn.ts'
import { toFrame } from './thread-frame.ts'
import { type Conversation, NO_USAGE, type ThreadState } from './thread-state.ts'

export type StepResult = readonly [ThreadState, readonly Frame[]]
type ThreadRunEnd = EventOf<'run.paused' | 'run.completed' | 'run.failed' | 'run.cancelled'>

export function projectRun(state: ThreadState, ev: EventOf<'run.started'> | ThreadRunEnd): StepResult {
  if (ev.agent_run_id !== undefined) return [state, NO_FRAMES]
  if (ev.type === 'run.started')
    return ev.resumes_run_id === undefined ? started(state, ev) : resumed(state, ev)
  const { conversation } = state
  if (!conversation || conversation.ended) return [state, NO_FRAMES]
  const [closed, closing] = close(state, ev)
  const over = { ...closed, conversation: { ...conversation, open_iteration: undefined, ended: true } }
  return [over, [...closing, ...end(state, conversation, ev)]]
}

function started(state: ThreadState, ev: EventOf<'run.started'>): StepResult {
  const { conversation_id, ts } = ev
  const { thread_id } = state
  const user_msg_id = state.queued.get(ev.run_id ?? '')
  const next: ThreadState = {
    ...state,
    queued: withoutEntry(state.queued, ev.run_id ?? ''),
    conversation: { conversation_id, ended: false, next_iteration: 0, usage: NO_USAGE },
    blocks: [],
    calls: new Map(),
  }
  const opening = toFrame('conversation.started', { conversation_id, thread_id }, ts)
  if (user_msg_id === undefined) return [next, [opening]]
  return [next, [opening, toFrame('conversation.data', { user_msg_id, thread_id }, ts)]]
}

/** A pause that is cancelled goes straight to its end: nothing resumes, so nothing says so. */
function resumed(state: ThreadState, ev: EventOf<'run.started'>): StepResult {
  const { conversation_id, ts } = ev
  const before = state.conversation ?? { next_iteration: 0, usage: NO_USAGE }
  const next = { ...state, conversation: { ...before, conversation_id, ended: false } }
  if (ev.trigger === 'cancel') return [next, NO_FRAMES]
  return [next, [toFrame('conversation.resumed', { conversation_id, thread_id: state.thread_id }, ts)]]
}

/** Ends whatever is open, so that every `started` has its `completed` before the answer ends. */
function close(state: ThreadState, ev: ThreadRunEnd): StepResult {
  const [quiet, texts] = closeBlocks(state, ev.ts, () => true)
  const [closed, iteration] = closeIteration(quiet, ev.ts, ev.type === 'run.paused')
  return [closed, [...texts, ...iteration]]
}

function end(state: ThreadState, conversation: Conversation, ev: ThreadRunEnd): readonly Frame[] {
  const { conversation_id } = conversation
  const about = { conversation_id, thread_id: state.thread_id }
  switch (ev.type) {
    case 'run.paused':
      return [paused(state, conversation, ev)]
    case 'run.completed': {
      const token_usage = toTokenUsage(totalOf(ev))
      return [toFrame('conversation.completed', { ...about, status: ev.status, token_usage }, ev.ts)]
    }
    case 'run.failed': {
      const { code, message, retryable } = ev.error
      const details = detailsOf(ev.error)
      const status_code = toStatus(ev.error)
      const told = { error_code: toErrorCode(code), message, details, recoverable: retryable, status_code }
      const error = { ...told, ...about }
      const ending = { ...about, status: 'with_errors', token_usage: toTokenUsage(totalOf(ev)) }
      return [toFrame('conversation.error', error, ev.ts), toFrame('conversation.completed', ending, ev.ts)]
    }
    case 'run.cancelled': {
      const token_usage = toTokenUsage(totalOf(ev))
      const body = { ...about, reason: ev.reason, canceled_at: ev.ts, token_usage }
      return [toFrame('conversation.canceled', body, ev.ts)]
    }
  }
}

/** The failure's own details, or else its source. */
function detailsOf({ details, provider, http_status }: Failure): unknown {
  if (details !== undefined || (provider === undefined && http_status === undefined)) return details
  return { provider, status: http_status }
}

function paused(state: ThreadState, conversation: Conversation, ev: EventOf<'run.paused'>): Frame {
  const of = (kind: PendingItem['kind']) => ev.pending.filter(item => item.kind === kind)
  const body = {
    reason: ev.reason,
    pending_tools: orNothing(of('client_tool').map(toPendingTool)),
    pending_approvals: orNothing(of('approval').map(item => toPendingApproval(state, item))),
    pending_questions: orNothing(of('question').map(item => toPendingApproval(state, item))),
    conversation_id: conversation.conversation_id,
    thread_id: state.thread_id,
    expires_at: ev.expires_at,
    token_usage: toTokenUsage(conversation.usage),
  }
  return toFrame('conversation.paused', body, ev.ts)
}

const orNothing = <T>(list: readonly T[]): readonly T[] | undefined => (list.length > 0 ? list : undefined)

const toPendingTool = (item: PendingItem) => ({
  call_id: item.call_id,
  name: item.name,
  arguments: toArguments(item.input_text),
  agent_id: item.agent_run_id,
})

function toPendingApproval(state: ThreadState, item: PendingItem) {
  const call = state.calls.get(callKey(item.agent_run_id, item.call_id))
  return {
    call_id: item.call_id,
    approval_id: item.id,
    tool_type: call?.tool_type ?? 'function',
    name: item.name,
    arguments: toArguments(item.input_text),
    message: item.message,
    schema: item.schema,
    url: item.url,
    allow_edit: call?.approval?.allow_edit,
    options: call?.approval?.options,
    details: call?.approval?.details,
    agent_id: item.agent_run_id,
  }
}

const totalOf = (ev: EventOf<'run.completed' | 'run.failed' | 'run.cancelled'>): Usage =>
  ev.usage_by_model.reduce((sum, row) => sumUsage(sum, row.usage), NO_USAGE)

/** `input_tokens` includes everything that the model read, cached or not, so that the total is a sum. */
function toTokenUsage(usage: Usage) {
  const input_tokens = usage.input + usage.cache_read + usage.cache_write
  return { input_tokens, output_tokens: usage.output, total_tokens: input_tokens + usage.output }
}
