/** Bodies of the routes for front ends. */
import { z } from 'zod'

export const UiChunkFrame = z.looseObject({ type: z.string() }).meta({ id: 'UiChunk' })

export const ChatStopped = z.object({ stopped: z.boolean() }).meta({ id: 'ChatStopped' })

export const ChatMessages = z
  .object({
    messages: z.array(
      z.looseObject({
        id: z.string(),
        role: z.enum(['user', 'assistant']),
        parts: z.array(z.looseObject({ type: z.string() })),
      }),
    ),
  })
  .meta({ id: 'ChatMessages' })

export const AgUiFrame = z.looseObject({ type: z.string() }).meta({ id: 'AgUiEvent' })

export const AgentInfo = z
  .object({
    version: z.string(),
    agents: z.record(z.string(), z.object({ name: z.string(), description: z.string() })),
    mode: z.literal('sse'),
    suggestions: z.boolean(),
  })
  .meta({ id: 'AgentInfo' })
