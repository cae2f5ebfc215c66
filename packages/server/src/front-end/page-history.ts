/** Messages that a page brings to a new chat: they come from another backend, or from nowhere. */
import { AppError, type ContentPart } from '@toolwire/core'
import { isSameInput } from '@toolwire/session'
import { isPageContext, type MessageInput, type PageText, toPageContext } from '@toolwire/wire'
import type { ServerSettings } from '../settings.ts'

const REFUSED =
  'messages: this chat is new on this server, which takes no earlier messages. Send the new message alone.'

/** The first message of a chat, with what the page showed before it. Throws `bad_request` where that is refused. */
export function withHistory(
  input: MessageInput,
  texts: readonly PageText[],
  rule: ServerSettings['importHistory'],
): MessageInput {
  if (rule === 'drop' || !texts.some(({ role }) => role === 'assistant')) return input
  if (rule === 'refuse') throw new AppError('bad_request', REFUSED)
  const quoted = texts.map(({ role, text }) => `${role}: ${text}`).join('\n\n')
  const context = toPageContext(`Earlier messages of this conversation, as the page shows them:\n\n${quoted}`)
  return { ...input, content: [...input.content, context] }
}

/** The page's context may differ from request to request. */
export const isSameMessage = (one: readonly ContentPart[], other: readonly ContentPart[]): boolean =>
  isSameInput(withoutContext(one), withoutContext(other))

const withoutContext = (content: readonly ContentPart[]): readonly ContentPart[] =>
  content.filter(part => !isPageContext(part))
