/** Events of a session's prompt: the words before its first message, changes of them, and loaded skills. */
import { z } from 'zod'
import { SessionAgentType } from './agent-type.ts'
import { event } from './define-event.ts'
import { SessionSkill } from './skill.ts'

export const promptEvents = [
  /** The words before the first message of a session: every request is built from them, byte for byte. */
  event('context.set', {
    generation: z.number().int(),
    parts: z.array(
      z.object({
        key: z.string(),
        text: z.string(),
        sha256: z.string(),
        /** Its author: the product, the request, the operator, or files of the project. */
        source: z.string(),
        /** Ids of the rules of the product that it is made of. */
        rules: z.array(z.string()).optional(),
      }),
    ),
    /** Facts of the environment that later requests are compared with. */
    facts: z.record(z.string(), z.string()),
    /** Instruction files that were not loaded, because their folder is not trusted. */
    skipped: z.array(z.string()).optional(),
    warnings: z.array(z.string()).optional(),
    /** Skills that the session may load. */
    skills: z.array(SessionSkill).optional(),
    /** Types of subagents of the project, as they were. */
    agents: z.array(SessionAgentType).optional(),
  }),
  /** A fact of the environment is another one now; the model gets the text behind the newest message or results. */
  event('context.changed', {
    key: z.string(),
    value: z.string(),
    text: z.string(),
    /** The skills that replace those before. */
    skills: z.array(SessionSkill).optional(),
  }),
  /** A person loaded a skill by its name; the model gets the text behind their message. */
  event('skill.loaded', {
    name: z.string(),
    sha256: z.string(),
    by: z.literal('user'),
    dir: z.string(),
    text: z.string(),
  }),
] as const
