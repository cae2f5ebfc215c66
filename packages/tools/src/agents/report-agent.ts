/** The result of a call that ran a subagent. */
import type { AgentEnd, ToolStep } from '@toolwire/core'

/** Limits are a reason to stop, not a failure: what was found until then is worth having. */
const LIMITS: ReadonlySet<string> = new Set(['max_turns', 'budget_exceeded'])

/** The last step of the call. `name` is how the subagent is called in texts. */
export function reportAgent(end: AgentEnd, name: string): ToolStep {
  switch (end.type) {
    case 'suspended':
      return { type: 'suspended' }
    case 'launched':
      return launched(end.agent_run_id, name)
    case 'refused':
      return refused(end)
    case 'aborted':
      return { type: 'failure', code: 'interrupted', message: `${name} was stopped.`, retryable: true }
    case 'finished':
      return finished(end, name)
  }
}

const launched = (agent_run_id: string, name: string): ToolStep => ({
  type: 'result',
  output_text: `${name} works in the background; its id is ${agent_run_id}. A message will bring its report. Do not wait for it, and do not do its work meanwhile.`,
  structured: { status: 'async_launched', agentId: agent_run_id },
  view: { title: name, kind: 'agent', body: { agent_run_id, background: true } },
})

/** A limit is not an error of the call: it is reported as a result, and the work continues without the agent. */
function refused({ code, message }: Extract<AgentEnd, { type: 'refused' }>): ToolStep {
  if (code !== 'agent_limit') return { type: 'failure', code, message }
  return { type: 'result', output_text: message, structured: { status: 'not_started', code } }
}

type FinishedAgent = Extract<AgentEnd, { type: 'finished' }>

function finished(end: FinishedAgent, name: string): ToolStep {
  const { error } = end
  if (error && !LIMITS.has(error.code))
    return {
      type: 'failure',
      code: 'agent_failed',
      message: [`${name} failed: ${error.message}`, ...said(end)].join('\n'),
      retryable: error.retryable,
      details: toData(end),
      outside: `agent ${end.agent_run_id}`,
    }
  const missing = `(${name} ended without a final message; it stopped with: ${end.stop_reason}.)`
  const text = [
    end.text || missing,
    ...(error ? [`[${name} stopped early: ${error.message} This is what it had said until then.]`] : []),
  ].join('\n')
  return {
    type: 'result',
    output_text: `${text}\n[Agent id: ${end.agent_run_id}]`,
    structured: toData(end),
    outside: `agent ${end.agent_run_id}`,
    view: { title: name, kind: 'agent', body: { agent_run_id: end.agent_run_id, text: end.text } },
  }
}

const said = ({ text }: FinishedAgent): readonly string[] =>
  text === '' ? [] : [`What it had said until then:\n${text}`]

function toData(end: FinishedAgent): Readonly<Record<string, unknown>> {
  return {
    status: 'completed',
    agentId: end.agent_run_id,
    content: end.text === '' ? [] : [{ type: 'text', text: end.text }],
    totalToolUseCount: end.num_calls,
    ...(end.calls_by_tool === undefined ? {} : { toolStats: end.calls_by_tool }),
    totalDurationMs: end.duration_ms,
    ...used(end.usage),
    ...(end.cost_usd === undefined ? {} : { cost_usd: end.cost_usd }),
  }
}

/** Every request reads something: a zero count means that the provider reported nothing. */
function used(usage: FinishedAgent['usage']): Readonly<Record<string, unknown>> {
  const { input, output, cache_read, cache_write } = usage
  const totalTokens = input + output + cache_read + cache_write
  return totalTokens > 0 ? { totalTokens, usage } : {}
}
