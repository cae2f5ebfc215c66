/** The prompt of a new session, as requests choose it. */
import type { EventOf } from '@toolwire/core'
import { z } from 'zod'

const choice = z.enum(['auto', 'off'])
export const SessionContextBody = z.strictObject({
  /** Instruction files of the project. */
  instructions: choice.optional(),
  /** Facts such as the working directory and the date. */
  environment: choice.optional(),
})

interface PromptBody {
  readonly system?: string | null | undefined
  readonly append_system?: string | null | undefined
  readonly context?: z.output<typeof SessionContextBody> | null | undefined
}

type PromptFields = Pick<EventOf<'session.created'>, 'system' | 'append_system' | 'context'>

/** An empty `system` asks for no words at all; an absent one for the server's prompt. Pure. */
export function toPromptFields({ system, append_system, context }: PromptBody): PromptFields {
  if (system === '') return append_system ? { system: append_system } : {}
  const { instructions = 'auto', environment = 'auto' } = context ?? {}
  return {
    ...(system ? { system } : {}),
    ...(append_system ? { append_system } : {}),
    context: { instructions, environment },
  }
}
