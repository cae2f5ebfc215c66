/** Declares an event type. */
import { z } from 'zod'

/** Fields every event may carry; `agent_run_id` is absent for the root agent. */
const common = z.object({
  v: z.literal(1).optional(),
  ts: z.string(),
  run_id: z.string().optional(),
  turn: z.number().int().optional(),
  agent_run_id: z.string().optional(),
})
export const event = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  common
    .extend({ type: z.literal(type) })
    .extend(shape)
    .meta({ id: type })
