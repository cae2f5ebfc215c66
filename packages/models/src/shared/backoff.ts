/** Delay before a model request is retried, and the cases without a retry. */
import type { Failure } from '@toolwire/core'
import { asNumber, isObject } from '@toolwire/core'

export interface RetryRules {
  readonly maxRetries: number
  readonly firstDelayMs: number
  readonly maxDelayMs: number
  /** A provider that asks for more patience than this is not waited for. */
  readonly maxRetryAfterMs: number
  /** Failures that are not repeated although they could be. */
  readonly isFinal?: (failure: Failure) => boolean
}

export const RETRY_RULES: RetryRules = {
  maxRetries: 2,
  firstDelayMs: 500,
  maxDelayMs: 8000,
  maxRetryAfterMs: 60_000,
}

/**
 * Milliseconds to wait before attempt `attempt + 1`, or undefined when the failure is final.
 * `random` gives jitter: the delay lies between three quarters and all of its step.
 */
export function retryDelay(
  failure: Failure,
  attempt: number,
  rules: RetryRules,
  random: () => number,
): number | undefined {
  if (!failure.retryable || attempt >= rules.maxRetries || rules.isFinal?.(failure)) return undefined
  const step = Math.min(rules.firstDelayMs * 2 ** attempt, rules.maxDelayMs)
  const delay = step * (0.75 + random() * 0.25)
  const asked = retryAfterOf(failure)
  if (asked === undefined) return delay
  return asked > rules.maxRetryAfterMs ? undefined : Math.max(asked, delay)
}

/** Milliseconds that the provider asked to wait. */
export const retryAfterOf = (failure: Failure): number | undefined =>
  isObject(failure.details) ? asNumber(failure.details['retry_after_ms']) : undefined

/** Reads `retry-after-ms`, then `retry-after` as seconds or a date. Undefined when absent or nonsense. */
export function readRetryAfter(headers: Pick<Headers, 'get'>, now: number): number | undefined {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '')
  if (ms >= 0) return ms
  const text = headers.get('retry-after')
  if (text === null) return undefined
  const seconds = Number(text)
  if (text.trim() !== '' && seconds >= 0) return seconds * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
