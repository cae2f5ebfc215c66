/** Runs: one run of the log is one run of the protocol. Everything open is closed before it finishes. */
import type { EventOf, PendingItem, Usage } from '@toolwire/core'
import type { AgUiEvent, AgUiState, AgUiStep } from './ag-ui-state.ts'
import { closeStep } from './project-message.ts'

type RunEndEvent = EventOf<'run.paused' | 'run.completed' | 'run.failed' | 'run.cancelled'>

export function runStarted(state: AgUiState, ev: EventOf<'run.started'>): AgUiStep {
  const threadId = state.options.thread_id ?? state.session_id
  const runId = state.options.run_id ?? ev.run_id ?? ''
  const before = ev.resumes_run_id === undefined ? { calls: new Map(), agents: new Map() } : {}
  const run = { threadId, runId, isOpen: true }
  return [
    { ...state, ...before, run, steps: 0, step: undefined, blocks: new Map() },
    [{ type: 'RUN_STARTED', threadId, runId }],
  ]
}

export function runEnded(state: AgUiState, ev: RunEndEvent): AgUiStep {
  const { run } = state
  if (!run?.isOpen) return [state, []]
  const [closed, events] = closeStep(state)
  const next = { ...closed, run: { ...run, isOpen: false } }
  if (ev.type === 'run.failed') {
    const { message, code } = ev.error
    return [next, [...events, { type: 'RUN_ERROR', message: message || code, code }]]
  }
  const usage = ev.type === 'run.paused' ? {} : { usage: ev.usage_by_model.map(toUsage) }
  const outcome = outcomeOf(state, ev)
  const finished: AgUiEvent = {
    type: 'RUN_FINISHED',
    threadId: run.threadId,
    runId: run.runId,
    ...(outcome === undefined ? {} : { outcome }),
    ...usage,
  }
  return [next, [...events, finished]]
}

/** Before version 1.0 there are interrupts alone: other outcomes are rejected, or stop a tool from being answered. */
function outcomeOf(
  state: AgUiState,
  ev: EventOf<'run.paused' | 'run.completed' | 'run.cancelled'>,
): object | undefined {
  const { isVersion1 = false } = state.options
  switch (ev.type) {
    case 'run.completed':
      return isVersion1 ? { type: 'success' } : undefined
    case 'run.cancelled':
      return isVersion1 ? { type: 'cancelled' } : undefined
    case 'run.paused': {
      const asked = ev.pending.filter(item => item.kind !== 'client_tool')
      if (asked.length > 0)
        return { type: 'interrupt', interrupts: asked.map(item => toInterrupt(state, item)) }
      const pendingToolCallIds = ev.pending.map(item => item.call_id)
      return isVersion1 ? { type: 'success', pendingToolCallIds } : undefined
    }
  }
}

/** A question or a decision that the run waits for. */
export function toInterrupt(state: Pick<AgUiState, 'options' | 'calls'>, item: PendingItem): object {
  const isQuestion = item.kind === 'question'
  return {
    id: item.id,
    reason: isQuestion ? 'input_required' : (state.options.interrupt_reason ?? 'tool_call'),
    message: item.message ?? `${item.name} ${item.input_text}`.slice(0, 2048),
    // Calls of nested agents are not in the page's messages.
    ...(item.agent_run_id === undefined ? { toolCallId: item.call_id } : {}),
    responseSchema: isQuestion ? (item.schema ?? { type: 'string' }) : DECISION,
  }
}

const DECISION = {
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    reason: { type: 'string' },
    editedArgs: { type: 'object' },
  },
  required: ['approved'],
}

function toUsage({ model, usage }: { readonly model: string; readonly usage: Usage }): object {
  const inputTokens = usage.input + usage.cache_read + usage.cache_write
  return {
    model,
    inputTokens,
    outputTokens: usage.output,
    totalTokens: inputTokens + usage.output,
    reasoningTokens: usage.reasoning,
    cachedInputTokens: usage.cache_read,
    cacheWriteInputTokens: usage.cache_write,
  }
}
