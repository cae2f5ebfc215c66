/** Skills as events name them. */
import { z } from 'zod'

/** A skill that a session may load. `dir` holds its SKILL.md. */
export const SessionSkill = z.object({
  name: z.string(),
  dir: z.string(),
  sha256: z.string(),
  source: z.enum(['operator', 'project']),
  /** The model is shown its name. */
  listed: z.boolean(),
  /** False: people cannot load it by its name. */
  for_users: z.boolean().optional(),
  /** It was trusted as it was then: another text is not loaded. */
  pinned: z.boolean().optional(),
})
