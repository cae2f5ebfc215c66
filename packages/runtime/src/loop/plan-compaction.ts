/**
 * Frees space in a history that outgrew its model, gentlest way first. Pure: the same history and compaction give
 * the same plan, so a crash in between changes nothing. Each plan goes further than the previous one; undefined
 * means that nothing is left, so repetition terminates.
 */
import { type Compaction, type HistoryMessage, SHORTENED_TO } from '@toolwire/core'

export type CompactionPlan =
  /** Show the model only the beginning of these calls' outputs, and of those shortened before. */
  | { readonly type: 'shorten'; readonly shortened: readonly string[] }
  /** Put a summary in the place of so many messages. */
  | { readonly type: 'summarise'; readonly replaced: number }

/** Outputs of the latest calls are what the model is working with. */
const FRESH = 2
/** Shortening less than this gains nothing. */
const LARGE = 2 * SHORTENED_TO

/** `messages` is the whole history, every call answered; outputs of the calls `whole` are never shortened. */
export function planCompaction(
  messages: readonly HistoryMessage[],
  before: Compaction | undefined,
  whole: readonly string[] = [],
): CompactionPlan | undefined {
  const start = before?.replaced ?? 0
  const shortened = before?.shortened ?? []
  const known = [...shortened, ...whole]
  const tools = messages.flatMap((message, place) => (message.role === 'tool' ? [place] : []))
  const fresh = tools.at(-FRESH) ?? messages.length
  const older = largeOutputs(messages.slice(start, Math.max(start, fresh)), known)
  if (older.length > 0) return { type: 'shorten', shortened: [...shortened, ...older] }
  const turn = turnCut(messages, start)
  if (turn !== undefined) return { type: 'summarise', replaced: turn }
  const latest = largeOutputs(messages.slice(start), known)
  if (latest.length > 0) return { type: 'shorten', shortened: [...shortened, ...latest] }
  const step = messages.findLastIndex(message => message.role === 'assistant')
  return hasContent(messages.slice(start, step)) && step - start > 1
    ? { type: 'summarise', replaced: step }
    : undefined
}

function largeOutputs(messages: readonly HistoryMessage[], known: readonly string[]): readonly string[] {
  const done = new Set(known)
  return messages
    .flatMap(message => (message.role === 'tool' ? message.results : []))
    .filter(result => result.output_text.length > LARGE || result.content.some(part => part.type !== 'text'))
    .map(result => result.call_id)
    .filter(id => !done.has(id))
}

/** The first user message after which at most half of the history follows; else the latest one. */
function turnCut(messages: readonly HistoryMessage[], start: number): number | undefined {
  const cuts = messages.flatMap((message, place) =>
    message.role === 'user' &&
    messages[place - 1]?.role !== 'user' &&
    hasContent(messages.slice(start, place))
      ? [place]
      : [],
  )
  const sizes = messages.map(message => JSON.stringify(message).length)
  const sizeFrom = (place: number): number => sizes.slice(place).reduce((a, b) => a + b, 0)
  const half = sizeFrom(start) / 2
  return cuts.find(place => sizeFrom(place) <= half) ?? cuts.at(-1)
}

/** System messages are kept, so they free no space. */
const hasContent = (messages: readonly HistoryMessage[]): boolean =>
  messages.some(message => message.role !== 'system')
