/** Limits of a run and its fallback models, carried from event to state and back. */
import type { Effort } from '../effort.ts'

export interface RunLimits {
  readonly max_turns?: number
  /** Shared with subagents. */
  readonly max_cost_usd?: number
  /** Everything that the models read and write, cached or not. Shared with subagents. */
  readonly max_total_tokens?: number
  /** Working time, from the start or the latest resumption. */
  readonly max_duration_ms?: number
  /** Asked in this order when the model before them fails before it has said anything. */
  readonly fallback_models?: readonly string[]
  /** Effort of thinking that the model is asked for. */
  readonly effort?: Effort
  /** Models that the run and its agents may ask; any when absent. Requests cannot set it. */
  readonly allowed_models?: readonly string[]
}

type PartialLimits = { readonly [K in keyof RunLimits]?: RunLimits[K] | undefined }
type Mutable = {
  -readonly [K in keyof RunLimits]: K extends 'fallback_models' | 'allowed_models' ? string[] : RunLimits[K]
}

/** The limits among the fields of an event or a run; those that are absent stay absent. Pure. */
export function runLimits(from: PartialLimits): Mutable {
  const { max_turns, max_cost_usd, max_total_tokens, max_duration_ms, fallback_models, effort } = from
  const { allowed_models } = from
  return {
    ...(max_turns === undefined ? {} : { max_turns }),
    ...(max_cost_usd === undefined ? {} : { max_cost_usd }),
    ...(max_total_tokens === undefined ? {} : { max_total_tokens }),
    ...(max_duration_ms === undefined ? {} : { max_duration_ms }),
    ...(fallback_models === undefined ? {} : { fallback_models: [...fallback_models] }),
    ...(effort === undefined ? {} : { effort }),
    ...(allowed_models === undefined ? {} : { allowed_models: [...allowed_models] }),
  }
}

/**
 * Limits of a request: its own where they are lower than the allowed ones; its own turns and fallback models
 * always. Pure.
 */
export function capLimits(asked: PartialLimits, allowed: PartialLimits): Mutable {
  return {
    ...runLimits(allowed),
    ...runLimits(asked),
    ...runLimits({
      max_cost_usd: lower(asked.max_cost_usd, allowed.max_cost_usd),
      max_total_tokens: lower(asked.max_total_tokens, allowed.max_total_tokens),
      max_duration_ms: lower(asked.max_duration_ms, allowed.max_duration_ms),
    }),
  }
}

const lower = (asked: number | undefined, allowed: number | undefined): number | undefined =>
  asked === undefined || allowed === undefined ? (asked ?? allowed) : Math.min(asked, allowed)
