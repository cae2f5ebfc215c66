/** The prompt of a new session, as requests choose it. */
import type { EventOf } from '@toolwire/core'
import { z } from 'zod'

const MAX_SYSTEM = 1_000_000

const choice = z.enum(['auto', 'off'])
export const SessionContextBody = z.strictObject({
  /** Instruction files of the project. */
  instructions: choice.optional(),
  /** Facts such as the working directory and the date. */
  environment: choice.optional(),
  /** Skills: all that are found, none, or those of these names. */
  skills: z.union([choice, z.array(z.string().min(1).max(64)).max(500)]).optional(),
})

const systemText = z.string().max(MAX_SYSTEM)

/** A text, or blocks of text, which are joined by an empty line. */
export const SystemBody = z.union([
  systemText,
  z
    .array(z.strictObject({ type: z.literal('text'), text: systemText }))
    .max(100)
    .transform(blocks => blocks.map(block => block.text).join('\n\n'))
    .pipe(systemText),
])

export interface PromptBody {
  readonly system?: string | null | undefined
  readonly append_system?: string | null | undefined
  readonly context?: z.output<typeof SessionContextBody> | null | undefined
}

type PromptFields = Pick<EventOf<'session.created'>, 'system' | 'append_system' | 'context'>

/** An empty `system` asks for no words at all; an absent one for the server's prompt. Pure. */
export function toPromptFields({ system, append_system, context }: PromptBody): PromptFields {
  if (system === '') return append_system ? { system: append_system } : {}
  const { instructions = 'auto', environment = 'auto', skills = 'auto' } = context ?? {}
  return {
    ...(system ? { system } : {}),
    ...(append_system ? { append_system } : {}),
    context: { instructions, environment, skills },
  }
}
