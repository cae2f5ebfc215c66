/** Texts of a conversation as a page shows it. Claims, never facts. */
export interface PageText {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** Messages that are read, and characters of each. */
const MAX_MESSAGES = 20
const MAX_TEXT = 8_000

/** The end of the list: `readText` returns the text of one message, `undefined` for one without a speaker. */
export const readPageTexts = <T extends { readonly role: string }>(
  messages: readonly T[],
  readText: (message: T) => string | undefined,
): readonly PageText[] =>
  messages.slice(-MAX_MESSAGES).flatMap(message => {
    const text = readText(message)?.slice(0, MAX_TEXT) ?? ''
    return text === '' ? [] : [{ role: message.role === 'assistant' ? 'assistant' : 'user', text }]
  })

/** Texts of parts. */
export const textIn = (content: unknown): string =>
  (Array.isArray(content) ? content : [])
    .map((part: unknown) => Object(part)['text'])
    .filter(text => typeof text === 'string')
    .join('\n')
