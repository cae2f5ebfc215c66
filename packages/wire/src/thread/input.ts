/**
 * `input`: a string, content parts, or messages. A thread keeps its own history, so messages may
 * be the user's and, for a new thread, instructions; what the assistant said is in the log.
 */
import type { ContentPart } from '@toolwire/core'
import { z } from 'zod'
import { MessageContent } from '../shared/message-content.ts'

const MAX_MESSAGES = 64

const Message = z.object({
  role: z.enum(['user', 'system', 'developer'], {
    error: 'a role is user, system or developer: a thread remembers what the assistant said',
  }),
  content: MessageContent,
})

const Messages = z.array(Message).max(MAX_MESSAGES)

/**
 * The schema of `input` for descriptions of this wire; the decoder separates the forms first, for better errors.
 */
export const ThreadInputForm = z.union([MessageContent, Messages])

export interface ParsedInput {
  readonly content: readonly ContentPart[]
  /** Instructions among the messages. */
  readonly system: readonly string[]
}

const asSaid = (content: readonly ContentPart[]): ParsedInput => ({ content, system: [] })

/** User messages become one message, their parts in order. */
export const ThreadInput = z.unknown().transform((value, context): ParsedInput => {
  const isMessages =
    Array.isArray(value) && value.some(item => item !== null && typeof item === 'object' && 'role' in item)
  const parsed = isMessages
    ? Messages.transform(toSaid).safeParse(value)
    : MessageContent.transform(asSaid).safeParse(value)
  if (parsed.success) return parsed.data
  for (const { path, message } of parsed.error.issues) context.addIssue({ code: 'custom', path, message })
  return z.NEVER
})

function toSaid(messages: readonly z.output<typeof Message>[]): ParsedInput {
  return {
    content: messages.flatMap(message => (message.role === 'user' ? message.content : [])),
    system: messages.flatMap(message =>
      message.role === 'user'
        ? []
        : message.content.flatMap(part => (part.type === 'text' ? [part.text] : [])),
    ),
  }
}
