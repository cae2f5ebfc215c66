/** Decisions of hooks about a session, as facts. */
import { z } from 'zod'
import { event } from './define-event.ts'

/** The effect of one answer; an empty object if the hook changed nothing. */
const Effect = z.object({
  /** Each event allows some of them. */
  decision: z.enum(['allow', 'deny', 'block', 'continue', 'decline', 'cancel']).optional(),
  reason: z.string().optional(),
  /** For the model. */
  context: z.string().optional(),
  /** The answer to a question of a call. */
  answer_text: z.string().optional(),
  /** The run ends, for this reason. */
  stop: z.string().optional(),
  /** The hook failed. */
  problem: z.string().optional(),
})

export const hookEvents = [
  /** A hook answered. It is never asked about the same thing again, and the effect follows from this event alone. */
  event('hook.answered', {
    hook: z.string(),
    event: z.string(),
    /** Digest of the question. */
    sha256: z.string(),
    effect: Effect,
    /** The words that the model gets behind the newest message or results. */
    text: z.string().optional(),
  }),
] as const
