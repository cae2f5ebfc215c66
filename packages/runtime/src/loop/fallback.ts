/**
 * Decides which models a turn may call, and when the next one is tried. Pure. Only a model without content is
 * replaced: sent content cannot be withdrawn, and a call may have run already.
 */
import { type AgentState, ERRORS, type Failure, type Warning } from '@toolwire/core'

/** A model that failed before it said anything. */
export interface FailedAttempt {
  readonly model: string
  readonly error: Failure
}

/** The model of the run and those after it; within one conversation the one that answered last is asked first. */
export function candidatesOf({ run, messages }: AgentState): readonly string[] {
  const all = [...new Set([run?.model ?? '', ...(run?.fallback_models ?? [])])]
  const since = messages.findLastIndex(message => message.role === 'user')
  const last = messages.findLast(
    (message, place) => place > since && message.role === 'assistant' && all.includes(message.model),
  )
  const first = last?.role === 'assistant' ? all.indexOf(last.model) : 0
  return all.slice(first)
}

const FAILING: Failure = {
  code: 'model_unavailable',
  message: 'The provider failed several times in a row; it is asked again later.',
  retryable: true,
}

/** The models before the first healthy one, which are not asked. */
export const passedOver = (all: readonly string[], healthy: readonly string[]): FailedAttempt[] =>
  all.slice(0, all.indexOf(healthy[0] ?? '')).map(model => ({ model, error: FAILING }))

const OWN_FAULT: ReadonlySet<string> = new Set([
  'bad_request',
  'interrupted',
  'model_error',
  'schema_rejected',
])

/** True if another model may succeed. An invalid request would be invalid there too. */
export const mayFallBack = ({ code }: Failure): boolean => code in ERRORS && !OWN_FAULT.has(code)

/** The failure of the last model, with those before it. */
export function lastFailure(error: Failure, tried: readonly FailedAttempt[]): Failure {
  if (tried.length === 0) return error
  const before = tried.map(one => ({ model: one.model, code: one.error.code, message: one.error.message }))
  return { ...error, details: { ...(error.details as object | undefined), tried: before } }
}

/** One sentence for every model that was passed over. */
export const toWarnings = (tried: readonly FailedAttempt[], model: string): readonly Warning[] =>
  tried.map(one => ({
    code: 'fallback_model',
    message: `${one.model} failed (${one.error.code}); ${model} answers instead.`,
  }))
