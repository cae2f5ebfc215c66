/** Types of subagents that a session has from files of its project. */
import { z } from 'zod'

export const SessionAgentType = z.object({
  /** `project:` and its name, which no rule for another type of this name is meant for. */
  id: z.string(),
  name: z.string(),
  /** SHA-256 of its file. */
  version: z.string(),
  description: z.string(),
  system: z.string(),
  tools: z.array(z.string()).optional(),
  max_turns: z.number().int().optional(),
})
