/** Shapes of messages that wait for a run. */
import { z } from 'zod'

export const SentMessage = z
  .object({
    session_id: z.string(),
    message_id: z.string(),
    run_id: z.string(),
    delivery: z.enum(['started', 'queued', 'steering', 'interrupting']),
    position: z.number().int(),
  })
  .meta({ id: 'SentMessage' })

const QueueItem = z
  .object({
    message_id: z.string(),
    run_id: z.string(),
    position: z.number().int(),
    content: z.array(z.looseObject({ type: z.string() })),
    when_running: z.enum(['queue', 'steer', 'interrupt']),
    revision: z.number().int(),
    waiting: z.enum(['running', 'paused', 'held']),
  })
  .meta({ id: 'QueuedMessage' })

export const Queue = z
  .object({ session_id: z.string(), queue_held: z.boolean(), messages: z.array(QueueItem) })
  .meta({ id: 'Queue' })

export const ChangedMessage = z
  .object({ session_id: z.string(), message: QueueItem.nullable() })
  .meta({ id: 'ChangedMessage' })

export const QueueResumed = z
  .object({ session_id: z.string(), resumed: z.array(z.string()) })
  .meta({ id: 'QueueResumed' })
