/** Fields that several events have. */
import { z } from 'zod'
import { EFFORTS } from '../effort.ts'

export const effort = z.enum(EFFORTS)

/** Limits of a run, and its fallback models. */
export const limits = {
  max_turns: z.number().int().optional(),
  max_cost_usd: z.number().optional(),
  /** Everything that the models read and write, cached or not. */
  max_total_tokens: z.number().int().optional(),
  /** Working time, from the start or the latest resumption. */
  max_duration_ms: z.number().int().optional(),
  /** Asked in this order when the model before them fails before it has said anything. */
  fallback_models: z.array(z.string()).optional(),
  /** Effort of thinking that the model is asked for; nothing is asked when absent. */
  effort: effort.optional(),
  /** Models that the run and its agents may ask, by the rights of the caller; any when absent. */
  allowed_models: z.array(z.string()).optional(),
}

/** A branch that a message opens, or that was opened. */
export const branch = {
  branch_id: z.string(),
  parent_branch_id: z.string(),
  /** The latest record of the parent that is part of it. */
  after_seq: z.number().int(),
  reason: z.enum(['regenerate', 'edit']),
  /** The user message that it replaces. */
  replaces: z.string(),
}
