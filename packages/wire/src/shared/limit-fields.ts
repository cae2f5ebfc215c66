/** Request fields for the limits of a run and its fallback models. */
import { EFFORTS, type RunLimits, runLimits } from '@toolwire/core'
import { z } from 'zod'

const DAY_MS = 86_400_000

/** Fields of a body schema. */
export const limitFields = {
  max_turns: z.number().int().min(1).max(10_000).nullish(),
  max_cost_usd: z.number().positive().max(1_000_000).nullish(),
  max_total_tokens: z.number().int().min(1).max(1_000_000_000).nullish(),
  max_duration_ms: z.number().int().min(1).max(DAY_MS).nullish(),
  fallback_models: z.array(z.string().min(1).max(256)).max(8).nullish(),
  effort: z.enum(EFFORTS).nullish(),
}

type LimitFields = { readonly [K in keyof RunLimits]?: RunLimits[K] | null | undefined }

/** The limits that a decoded body holds; what it leaves out or nulls stays absent. Pure. */
export const toLimits = (given: LimitFields): ReturnType<typeof runLimits> =>
  runLimits({
    max_turns: given.max_turns ?? undefined,
    max_cost_usd: given.max_cost_usd ?? undefined,
    max_total_tokens: given.max_total_tokens ?? undefined,
    max_duration_ms: given.max_duration_ms ?? undefined,
    fallback_models: given.fallback_models ?? undefined,
    effort: given.effort ?? undefined,
  })
