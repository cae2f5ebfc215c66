/** Bodies of the routes that make another version of a message. Unknown fields are refused. Pure. */
import { z } from 'zod'
import { limitFields } from '../shared/limit-fields.ts'
import { MessageContent } from '../shared/message-content.ts'

const id = z.string().min(1).max(256)

/** Text that every store can hold; a name for the path of the first that is not. */
const isStorable = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, child]) => isStorable(key) && isStorable(child))
}

const shared = {
  model: id.nullish(),
  options: z.record(z.string(), z.unknown()).nullish(),
  ...limitFields,
  /** Handling of the effects of the replaced part; `ask` lists them and changes nothing. */
  effects: z.enum(['keep', 'restore', 'ask']).default('keep'),
  /** Agents that the replaced part started in the background. */
  background: z.enum(['keep', 'stop']).default('keep'),
  /** Ends the run in progress first; without it a running session is rejected. */
  interrupt: z.boolean().default(false),
}

const NOT_TEXT = { message: 'NUL and unpaired surrogates are not text' }

export const RegenerateBody = z
  .strictObject({ message_id: id.nullish(), ...shared })
  .refine(isStorable, NOT_TEXT)

export const EditBody = z
  .strictObject({
    content: MessageContent.refine(parts => parts.length > 0, { message: 'the content is empty' }),
    ...shared,
  })
  .refine(isStorable, NOT_TEXT)
