/**
 * Messages of a growing history as JSON, in blocks of bytes. A block is made once and shared by all later requests, so a
 * request encodes only its last messages. Holds nothing itself: a block goes with its first message. Other work runs
 * between two messages that take long.
 */
import { createYield } from '@toolwire/core'

export interface MessagePieces {
  /** Each ends with a comma. */
  readonly blocks: readonly Buffer[]
  /** JSON of each message after the blocks. */
  readonly rest: readonly string[]
}

const BLOCK = 64
/** The last messages are marked for the provider's cache, and so differ from request to request. */
const CHANGING = 16

export type Write = (value: unknown) => string

/** `messages` are compared by identity: one that was written before must not have changed. */
export async function toMessagePieces(messages: readonly object[], write: Write): Promise<MessagePieces> {
  const yieldOften = createYield()
  const textsOf = async (some: readonly object[]): Promise<readonly string[]> => {
    const list: string[] = []
    for (const message of some) {
      list.push(textOf(message, write))
      await yieldOften()
    }
    return list
  }
  const count = Math.max(0, Math.floor((messages.length - CHANGING) / BLOCK))
  const blocks: Buffer[] = []
  for (let n = 0; n < count; n++) blocks.push(await blockAt(messages, n * BLOCK, textsOf))
  return { blocks, rest: await textsOf(messages.slice(count * BLOCK)) }
}

/** The latest block that begins with a message. */
const known = new WeakMap<object, { readonly messages: readonly object[]; readonly bytes: Buffer }>()

async function blockAt(
  all: readonly object[],
  start: number,
  textsOf: (messages: readonly object[]) => Promise<readonly string[]>,
): Promise<Buffer> {
  const first = all[start]
  const before = first && known.get(first)
  if (before?.messages.every((message, i) => message === all[start + i])) return before.bytes
  const messages = all.slice(start, start + BLOCK)
  const bytes = Buffer.from(`${(await textsOf(messages)).join(',')},`)
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
