/**
 * Selects the images and documents of one model request. The oldest are replaced by a sentence, as are those that
 * no provider accepts; a wrong media type is corrected. The log keeps them all as received, so no image can break
 * a session.
 */
import type { ContentPart, FileSource, HistoryMessage, MediaPart } from '@toolwire/core'
import { HEAD_BYTES, imageSizeOf, imageType, isTextType, isTooManyPixels, leftOutNote } from '@toolwire/core'

export interface MediaBudget {
  /** Images, documents and recordings of one request. */
  readonly count: number
  /** Their inline data together, in base64 characters. */
  readonly total: number
  /** One of them alone. */
  readonly each: number
}

const MEBIBYTE = 1024 ** 2
/** Bytes of a text file: more fits no model, and would break every later request of its session. */
const MAX_TEXT = MEBIBYTE

/** Limits of the strictest common provider: 100 items, 5 MiB per image, 32 MB per request. */
export const MEDIA_BUDGET: MediaBudget = { count: 100, total: 20 * MEBIBYTE, each: 5 * MEBIBYTE }

/** Pure. Messages without media, and all when everything fits, come back as they are. */
export function boundMedia(
  messages: readonly HistoryMessage[],
  budget: MediaBudget = MEDIA_BUDGET,
): readonly HistoryMessage[] {
  const changed = toChanges(messages, budget)
  if (changed.size === 0) return messages
  return messages.map(message => withChanges(message, changed))
}

/** Parts with their replacements. */
type Changes = ReadonlyMap<ContentPart, ContentPart>

/** The message with its parts replaced. Pure. */
export function withChanges(message: HistoryMessage, changed: Changes): HistoryMessage {
  switch (message.role) {
    case 'user':
    case 'system':
      return { ...message, content: replace(message.content, changed) }
    case 'tool':
      return {
        ...message,
        results: message.results.map(one => ({ ...one, content: replace(one.content, changed) })),
      }
    case 'assistant':
      return message
  }
}

/** The newest are looked at first. */
function toChanges(messages: readonly HistoryMessage[], budget: MediaBudget): Changes {
  const changed = new Map<ContentPart, ContentPart>()
  let count = 0
  let total = 0
  for (const part of messages.flatMap(mediaOf).reverse()) {
    const size = sizeOf(part.source)
    const why = unfit(part, size, budget)
    if (why !== undefined) changed.set(part, leftOutNote(part, why))
    else if (count + 1 > budget.count || total + size > budget.total)
      changed.set(part, leftOutNote(part, 'newer ones take the room that a request has'))
    else {
      count += 1
      total += size
      const true_type = trueType(part)
      if (true_type !== undefined) changed.set(part, withType(part, true_type))
    }
  }
  return changed
}

/** The reason that no provider would accept it, regardless of the rest of the request. */
function unfit(part: MediaPart, size: number, { each, total }: MediaBudget): string | undefined {
  const { type, source } = part
  if (source.type === 'file') {
    const why = unfitFile(part, source)
    if (why !== undefined) return why
  }
  // An image has its own limit; a document only shares the total.
  if ((type === 'image' && size > each) || size > total) return 'it is larger than a model takes'
  if (source.type !== 'base64') return undefined
  if (type === 'image' && imageType(startOf(source.data, 16)) === undefined)
    return 'its data is no image that a model takes'
  if (type === 'image' && isEnormous(source)) return 'it has more pixels than a model takes'
  if (type === 'document' && source.media_type === 'application/pdf' && !isPdf(source.data))
    return 'its data is no PDF'
  return undefined
}

/** As `unfit`, by the facts in the log: the file is not loaded yet. */
function unfitFile({ type }: MediaPart, { problem, bytes, media_type = '' }: FileSource): string | undefined {
  if (problem !== undefined) return `it cannot be shown: ${problem}`
  if (type === 'file') return `no model takes files of the type ${media_type || 'unknown'}`
  return isTextType(media_type) && (bytes ?? 0) > MAX_TEXT ? 'it is longer than a model reads' : undefined
}

/** Characters as a request has them. */
function sizeOf(source: MediaPart['source']): number {
  if (source.type === 'url') return 0
  if (source.type !== 'file') return source.data.length
  const bytes = source.bytes ?? 0
  return isTextType(source.media_type ?? '') ? bytes : Math.ceil(bytes / 3) * 4
}

function isEnormous({ data, media_type }: Extract<MediaPart['source'], { type: 'base64' }>): boolean {
  const head = startOf(data, HEAD_BYTES)
  const size = imageSizeOf(head, imageType(head) ?? media_type)
  return size !== undefined && isTooManyPixels(size)
}

const startOf = (data: string, bytes: number): Uint8Array =>
  Buffer.from(data.slice(0, Math.ceil(bytes / 3) * 4), 'base64')

/** The mark may follow other bytes, as readers of such files allow. */
const isPdf = (data: string): boolean => Buffer.from(startOf(data, 1024)).includes('%PDF-')

/** The actual type of an image with a wrong one: providers reject such a request as a whole. */
function trueType({ type, source }: MediaPart): string | undefined {
  if (type !== 'image' || source.type !== 'base64') return undefined
  const found = imageType(startOf(source.data, 16))
  return found === 'other' || found === source.media_type ? undefined : found
}

const withType = (part: MediaPart, media_type: string): ContentPart =>
  part.source.type === 'base64' ? { ...part, source: { ...part.source, media_type } } : part

function mediaOf(message: HistoryMessage): readonly MediaPart[] {
  const parts =
    message.role === 'tool'
      ? message.results.flatMap(one => one.content)
      : message.role === 'assistant'
        ? []
        : message.content
  return parts.filter(part => part.type !== 'text')
}

const replace = (content: readonly ContentPart[], changed: Changes): readonly ContentPart[] =>
  content.map(part => changed.get(part) ?? part)
