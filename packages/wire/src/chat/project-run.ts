/** Sessions and runs: the greeting, and the frames that end an answer. */

import type { EventOf } from '@toolwire/core'
import { withEntry } from '../shared/map-entry.ts'
import { parseInput } from '../shared/parse-input.ts'
import { type Frame, NO_FRAMES } from '../wire.ts'
import { toFrame, toNestedTail, toTail } from './chat-frame.ts'
import { type ChatRun, type ChatState, NO_USAGE, without } from './chat-state.ts'
import { type ResultData, toPausedResult, toResult, wholeText } from './result.ts'

export type ChatStep = readonly [ChatState, readonly Frame[]]
type SessionFact = EventOf<'session.created' | 'session.updated' | 'session.bound'>
type ChatRunEnd = EventOf<'run.paused' | 'run.completed' | 'run.failed' | 'run.cancelled'>

export function projectSession(state: ChatState, ev: SessionFact): ChatStep {
  switch (ev.type) {
    case 'session.created': {
      const { cwd, tools, model, permission_mode } = ev
      return [{ ...state, facts: { cwd, tools, model, permission_mode } }, NO_FRAMES]
    }
    case 'session.updated': {
      const model = ev.model ?? state.facts.model
      const permission_mode = ev.permission_mode ?? state.facts.permission_mode
      return [{ ...state, facts: { ...state.facts, model, permission_mode } }, NO_FRAMES]
    }
    case 'session.bound':
      return bound(state, ev)
  }
}

function bound(state: ChatState, ev: EventOf<'session.bound'>): ChatStep {
  const { cwd, tools, model, permission_mode } = ev
  const next = {
    ...state,
    provider_session_id: ev.provider_session_id,
    facts: { cwd, tools, model, permission_mode },
  }
  if (!next.run || next.run.ended || ev.agent_run_id !== undefined) return [next, NO_FRAMES]
  return greet(next, next.run)
}

/** Sends the `system` frame of the run, if the run was not bound before its first frame. */
export function greet(state: ChatState, run: ChatRun): ChatStep {
  const { facts } = state
  const data = {
    session_id: state.provider_session_id ?? state.session_id,
    cwd: facts.cwd,
    tools: facts.tools,
    model: facts.model,
    permissionMode: facts.permission_mode,
  }
  const frame = toFrame({ type: 'system', subtype: 'init', data }, run.tail)
  return [{ ...state, run: { ...run, greeted: true } }, [frame]]
}

/** A resumed run is the same conversation: its calls stay open and its totals continue. */
export function runStarted(state: ChatState, ev: EventOf<'run.started'>): ChatState {
  const before = ev.resumes_run_id === undefined ? undefined : state.run
  const run: ChatRun = {
    conversation_id: ev.conversation_id,
    tail: toTail(state.session_id, ev.conversation_id),
    greeted: false,
    ended: false,
    started_at: ev.ts,
    model: ev.model,
    num_turns: before?.num_turns ?? 0,
    usage: before?.usage ?? NO_USAGE,
    cost_usd: before?.cost_usd ?? 0,
    text: before ? wholeText(before) : '',
    openText: '',
  }
  if (before) return { ...state, run }
  return { ...state, run, agents: new Map(), blocks: new Map(), calls: new Map() }
}

export function runEnded(state: ChatState, ev: ChatRunEnd): ChatStep {
  const { run } = state
  if (!run || run.ended) return [state, NO_FRAMES]
  const over = { ...state, run: { ...run, ended: true } }
  switch (ev.type) {
    case 'run.paused':
      return [over, [paused(ev, run), ...closing(state, run, toPausedResult(ev, run))]]
    case 'run.failed': {
      const { message, code, retryable } = ev.error
      const error = toFrame({ type: 'error', error: message, code, retryable }, run.tail)
      return [over, [error, ...closing(state, run, toResult(ev, run))]]
    }
    case 'run.completed':
    case 'run.cancelled':
      return [over, closing(state, run, toResult(ev, run))]
  }
}

function closing(state: ChatState, run: ChatRun, data: ResultData): readonly Frame[] {
  const claude = state.provider_session_id ?? state.session_id
  const done = `{"type":"done"${run.tail.slice(0, -1)},"claude_session_id":${JSON.stringify(claude)}}`
  return [toFrame({ type: 'result', data }, run.tail), { data: done }]
}

function paused(ev: EventOf<'run.paused'>, run: ChatRun): Frame {
  const pending_tools = ev.pending.map(item => ({
    kind: item.kind,
    id: item.id,
    tool_use_id: item.call_id,
    name: item.name,
    input: parseInput(item.input_text),
    input_text: item.input_text,
    message: item.message,
    ...(item.agent_run_id === undefined ? {} : { agent_run_id: item.agent_run_id }),
  }))
  const body = { type: 'paused', reason: ev.reason, pending_tools, expires_at: ev.expires_at }
  return toFrame(body, run.tail)
}

/** Frames of a nested agent name the call that it works for. */
export function agentStarted(state: ChatState, ev: EventOf<'agent.started'>): ChatState {
  if (!state.run) return state
  const tail = toNestedTail(ev.parent_call_id, state.run.tail)
  return { ...state, agents: withEntry(state.agents, ev.agent_run_id, tail) }
}

export const agentFinished = (state: ChatState, ev: EventOf<'agent.finished'>): ChatState => ({
  ...state,
  agents: without(state.agents, (_, id) => id === ev.agent_run_id),
})
