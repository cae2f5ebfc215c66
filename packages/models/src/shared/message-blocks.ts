/**
 * Messages of a growing history as JSON, in blocks of bytes. A block is made once and shared by all later requests, so a
 * request encodes only its last messages. Holds nothing itself: a block goes with its first message.
 */

export interface MessagePieces {
  /** Each ends with a comma. */
  readonly blocks: readonly Buffer[]
  /** JSON of the messages after the blocks, separated by commas. */
  readonly rest: string
}

const BLOCK = 64
/** The last messages are marked for the provider's cache, and so differ from request to request. */
const CHANGING = 16

export type Write = (value: unknown) => string

/** `messages` are compared by identity: one that was written before must not have changed. */
export function toMessagePieces(messages: readonly object[], write: Write): MessagePieces {
  const count = Math.max(0, Math.floor((messages.length - CHANGING) / BLOCK))
  const blocks = Array.from({ length: count }, (_, n) => blockAt(messages, n * BLOCK, write))
  const rest = messages.slice(count * BLOCK).map(message => textOf(message, write))
  return { blocks, rest: rest.join(',') }
}

/** The latest block that begins with a message. */
const known = new WeakMap<object, { readonly messages: readonly object[]; readonly bytes: Buffer }>()

function blockAt(all: readonly object[], start: number, write: Write): Buffer {
  const first = all[start]
  const before = first && known.get(first)
  if (before?.messages.every((message, i) => message === all[start + i])) return before.bytes
  const messages = all.slice(start, start + BLOCK)
  const bytes = Buffer.from(`${messages.map(message => textOf(message, write)).join(',')},`)
  for (const message of messages) texts.delete(message)
  if (first) known.set(first, { messages, bytes })
  return bytes
}

/** JSON of messages that are in no block yet. */
const texts = new WeakMap<object, string>()

function textOf(message: object, write: Write): string {
  const before = texts.get(message)
  if (before !== undefined) return before
  const text = write(message)
  texts.set(message, text)
  return text
}
