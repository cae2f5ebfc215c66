/** The agent of a session, as its opening event holds it. */
import { z } from 'zod'

/** One version of an agent, with the settings that the session has whatever becomes of the agent. */
export const SessionAgent = z.object({
  id: z.string(),
  name: z.string(),
  version: z.number().int(),
  sha256: z.string(),
  /** The settings of the version with what the request changed. The runtime reads the limits. */
  resolved: z.looseObject({
    fallback_models: z.array(z.string()).optional(),
    limits: z
      .object({
        max_turns: z.number().int().optional(),
        max_cost_usd: z.number().optional(),
        max_total_tokens: z.number().int().optional(),
        max_duration_ms: z.number().int().optional(),
      })
      .optional(),
  }),
})
