/** Defaults of what tests and users may tune: how long to wait, how often to repeat, by which clock. */
import { sleep } from '@toolwire/core'
import { RETRY_RULES, type RetryRules } from './backoff.ts'
import type { Patience } from './upstream.ts'
import type { SilenceLimits } from './watchdog.ts'

export interface PatienceOptions {
  readonly silence?: Partial<SilenceLimits>
  readonly retry?: Partial<RetryRules>
  readonly sleep?: Patience['sleep']
  readonly random?: () => number
}

/** Fills in what `options` leaves open. */
export function toRetryPolicy(options: PatienceOptions, silence: SilenceLimits): Patience {
  return {
    silence: { ...silence, ...options.silence },
    retry: { ...RETRY_RULES, ...options.retry },
    sleep: options.sleep ?? sleep,
    random: options.random ?? Math.random,
  }
}
