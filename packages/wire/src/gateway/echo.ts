/**
 * A conversation as its client sends it again, without what clients change between two requests: spelling and
 * defaults of arguments, thinking, reminders, system messages in the middle, dates in the system prompt. Two
 * requests with equal texts hold the same conversation. Pure.
 */
import type { ContentPart, ToolSpec } from '@toolwire/core'
import { type ArgumentReader, createArgumentReader } from './argument-reader.ts'
import type { Echo, EchoNote } from './gateway-request.ts'
import type { OutlineBlock } from './outline.ts'
import type { ReceivedMessage } from './pair-results.ts'

/** Elements in which agents wrap their reminders. */
const NOTE_TAGS = ['system-reminder', 'info-msg', 'environment_details', 'environment_context'] as const
/** A line of one client that differs in every request. */
const BILLING = /^x-anthropic-billing-header:/
const DATES = new RegExp(
  [
    String.raw`\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?`,
    String.raw`\b\d{1,2}/\d{1,2}/\d{4}\b`,
    String.raw`\b\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:\s?[AaPp][Mm]\b)?`,
    String.raw`\b(?:Mon|Tue|Tues|Wed|Wednes|Thu|Thurs|Fri|Sat|Satur|Sun)(?:day)?\b`,
    String.raw`\b(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}\b`,
    String.raw`\b(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)\.? \d{1,2}\b`,
  ].join('|'),
  'g',
)

/** `tools` are those of the session: arguments that equal the default of their schema are left out. */
export function toEcho(messages: readonly ReceivedMessage[], tools: readonly ToolSpec[]): Echo {
  const read = createArgumentReader(tools)
  const last = messages.findLastIndex(message => message.role === 'assistant')
  const previous = messages.slice(0, Math.max(last, 0)).findLastIndex(message => message.role === 'assistant')
  const leading = messages.findIndex(message => message.role !== 'system')
  const pieces = messages.map((message, index) => toPiece(message, index < leading, read))
  const texts = (from: number, to?: number) => pieces.slice(from, to).flatMap(piece => piece.texts)
  const notes = (from: number, to?: number) => pieces.slice(from, to).flatMap(piece => piece.notes)
  return {
    before: texts(0, last + 1),
    after: texts(last + 1),
    notes: { before: notes(previous + 1, last + 1), after: notes(last + 1) },
  }
}

/** The response that was sent, as it looks when the client sends it back. */
export function answerEcho(
  blocks: readonly OutlineBlock[],
  { legacy = false, hidesRefusal = false }: { readonly legacy?: boolean; readonly hidesRefusal?: boolean },
): string {
  const text = blocks.map(block =>
    block.kind === 'call' || (block.kind === 'refusal' && hidesRefusal) ? '' : block.text,
  )
  const calls = blocks.flatMap(block => {
    if (block.kind !== 'call') return []
    const read = createArgumentReader(block.tool ? [block.tool] : [])
    return [[legacy ? '' : block.call_id, block.name, read(block.name, block.arguments)]]
  })
  return ofAssistant(text.join(''), legacy ? calls.slice(0, 1) : calls)
}

interface EchoPiece {
  readonly texts: readonly string[]
  readonly notes: readonly EchoNote[]
}

function toPiece(message: ReceivedMessage, isLeading: boolean, read: ArgumentReader): EchoPiece {
  if (message.role === 'system') return ofSystem(plainText(message.content), isLeading)
  if (message.role === 'user') return ofUser(message.content)
  if (message.role === 'result') {
    const { call_id, output_text, content, is_error } = message.result
    const { rest, notes } = splitNotes(output_text)
    const media = content.filter(part => part.type !== 'text')
    return { texts: [`result ${JSON.stringify([call_id, media, is_error])}\n${rest}`], notes }
  }
  const text = message.content.map(part => (part.type === 'text' ? part.text : '')).join('')
  const calls = message.content.flatMap(part =>
    part.type === 'tool_use'
      ? [[isByPosition(part.call_id) ? '' : part.call_id, part.name, read(part.name, part.input_text)]]
      : [],
  )
  return { texts: [ofAssistant(text, calls)], notes: [] }
}

/** Calls of the old dialect have ids by position, which the session does not know. */
const isByPosition = (call_id: string): boolean => /^call_fn_\d+$/.test(call_id)

const ofAssistant = (text: string, calls: readonly unknown[]): string =>
  `assistant ${JSON.stringify(calls)}\n${text.trim()}`

function ofSystem(text: string, isLeading: boolean): EchoPiece {
  if (!isLeading) return { texts: [], notes: [{ role: 'system', text }] }
  if (BILLING.test(text)) return { texts: [], notes: [] }
  return { texts: [`system\n${text.replaceAll(DATES, '').trim()}`], notes: [] }
}

/** One text per part: some clients join messages that follow each other. */
function ofUser(content: readonly ContentPart[]): EchoPiece {
  const notes: EchoNote[] = []
  const texts = content.flatMap(part => {
    if (part.type !== 'text') return [`user ${JSON.stringify(part)}`]
    const split = splitNotes(part.text)
    notes.push(...split.notes)
    return split.rest === '' ? [] : [`user\n${split.rest}`]
  })
  return { texts, notes }
}

const plainText = (content: readonly ContentPart[]): string =>
  content.map(part => (part.type === 'text' ? part.text : JSON.stringify(part))).join('\n')

/** In linear time, also for tags that are never closed. */
function splitNotes(text: string): { readonly rest: string; readonly notes: readonly EchoNote[] } {
  const notes: EchoNote[] = []
  let rest = text
  for (const tag of NOTE_TAGS) {
    const open = `<${tag}>`
    const close = `</${tag}>`
    const pieces: string[] = []
    let position = 0
    for (let start = rest.indexOf(open); start !== -1; start = rest.indexOf(open, position)) {
      const end = rest.indexOf(close, start)
      if (end === -1) break
      pieces.push(rest.slice(position, start))
      position = end + close.length
      notes.push({ role: 'user', text: rest.slice(start, position) })
    }
    rest = pieces.length === 0 ? rest : pieces.join('') + rest.slice(position)
  }
  return { rest: rest.trim(), notes }
}
