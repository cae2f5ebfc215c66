/** One output item as it is written: the events at its start, for its deltas and at its end. Pure. */
import type { Opaque } from '@toolwire/core'
import type { OpenBlock, ServedSearch } from '../gateway/answer-part.ts'
import { endedItem, inputOf, startedItem } from './call-items.ts'
import { type FreeformReader, initialFreeform, stepFreeform } from './freeform-input.ts'
import type { OutputItem } from './response.ts'
import type { CallType, ToolForm } from './tools.ts'

export interface OpenItem {
  readonly kind: 'text' | 'refusal' | 'thinking' | 'redacted' | CallType
  readonly index: number
  readonly item: OutputItem
  readonly text: string
  readonly annotations: readonly unknown[]
  readonly freeform: FreeformReader
}

export type ItemEvent = Readonly<Record<string, unknown>> & { readonly type: string }

const PREFIXES: Readonly<Record<OpenItem['kind'], string>> = {
  text: 'msg',
  refusal: 'msg',
  thinking: 'rs',
  redacted: 'rs',
  function: 'fc',
  custom: 'ctc',
  tool_search: 'ts',
  local_shell: 'lsh',
  shell: 'sh',
  apply_patch: 'apc',
}

interface ItemPosition {
  readonly id: string
  readonly index: number
  readonly form: ToolForm | undefined
}

/** Undefined for blocks that this wire does not show. */
export function openItem(block: OpenBlock, { id, index, form }: ItemPosition): OpenItem | undefined {
  const kind = kindOf(block, form)
  if (!kind) return undefined
  const item = toItem(block, kind, { id: `${PREFIXES[kind]}_${id}_${index}`, form })
  return { kind, index, item, text: '', annotations: [], freeform: initialFreeform }
}

function kindOf(block: OpenBlock, form: ToolForm | undefined): OpenItem['kind'] | undefined {
  switch (block.kind) {
    case 'provider':
      return undefined
    case 'redacted_thinking':
      return 'redacted'
    case 'call':
      return form?.type ?? 'function'
    default:
      return block.kind
  }
}

function toItem(
  block: OpenBlock,
  kind: OpenItem['kind'],
  { id, form }: { readonly id: string; readonly form: ToolForm | undefined },
): OutputItem {
  if (kind === 'thinking' || kind === 'redacted') return { id, type: 'reasoning', summary: [] }
  if (block.kind === 'call' && kind !== 'text' && kind !== 'refusal')
    return startedItem(kind, { id, call_id: block.call_id, name: block.name, form })
  return { id, type: 'message', status: 'in_progress', role: 'assistant', content: [] }
}

const at = ({ item, index }: OpenItem) => ({ item_id: item.id, output_index: index })

/** Some clients read `text` of every part, and throw at one without. */
const contentOf = ({ kind, text, annotations }: OpenItem) =>
  kind === 'refusal'
    ? { type: 'refusal', refusal: text, text }
    : { type: 'output_text', text, annotations, logprobs: [] }

export function startEvents(open: OpenItem): readonly ItemEvent[] {
  const added = { type: 'response.output_item.added', output_index: open.index, item: open.item }
  switch (open.kind) {
    case 'text':
    case 'refusal':
      return [
        added,
        { type: 'response.content_part.added', ...at(open), content_index: 0, part: contentOf(open) },
      ]
    case 'thinking': {
      const part = { type: 'summary_text', text: '' }
      return [added, { type: 'response.reasoning_summary_part.added', ...at(open), summary_index: 0, part }]
    }
    default:
      return [added]
  }
}

/** The item with more text, and the events that say so. */
export function growItem(open: OpenItem, delta: string): readonly [OpenItem, readonly ItemEvent[]] {
  const grown = { ...open, text: open.text + delta }
  if (open.kind !== 'custom') return [grown, deltaEvents(open, delta)]
  const [freeform, input] = stepFreeform(open.freeform, delta)
  return [{ ...grown, freeform }, input === '' ? [] : [inputDelta(open, input)]]
}

const inputDelta = (open: OpenItem, delta: string): ItemEvent => ({
  type: 'response.custom_tool_call_input.delta',
  ...at(open),
  delta,
})

function deltaEvents(open: OpenItem, delta: string): readonly ItemEvent[] {
  switch (open.kind) {
    case 'text':
      return [{ type: 'response.output_text.delta', ...at(open), content_index: 0, delta, logprobs: [] }]
    case 'refusal':
      return [{ type: 'response.refusal.delta', ...at(open), content_index: 0, delta }]
    case 'thinking':
      return [{ type: 'response.reasoning_summary_text.delta', ...at(open), summary_index: 0, delta }]
    case 'function':
      return [{ type: 'response.function_call_arguments.delta', ...at(open), delta }]
    default:
      return []
  }
}

export const annotationEvent = (open: OpenItem, annotation: unknown): ItemEvent => ({
  type: 'response.output_text.annotation.added',
  ...at(open),
  content_index: 0,
  annotation_index: open.annotations.length,
  annotation,
})

export interface ItemEnd {
  readonly isWhole: boolean
  /** Data of the provider that the client brings back as it is. */
  readonly encrypted_content?: string | undefined
  readonly opaque?: Opaque | undefined
}

/** The item as it is at its end. */
export function doneItem(open: OpenItem, { isWhole, encrypted_content, opaque }: ItemEnd): OutputItem {
  const { item, text, kind } = open
  const sealed = encrypted_content === undefined ? {} : { encrypted_content }
  switch (kind) {
    case 'text':
    case 'refusal': {
      const status = isWhole ? 'completed' : 'incomplete'
      return { ...item, status, content: [contentOf(open)], ...phaseOf(opaque) }
    }
    case 'thinking':
      return { ...item, summary: [{ type: 'summary_text', text }], ...sealed }
    case 'redacted':
      return { ...item, ...sealed }
    default:
      return endedItem(item, kind, text, isWhole)
  }
}

/** As the provider set it; never made up. */
function phaseOf(opaque: Opaque | undefined): { readonly phase?: string } {
  const { phase } = Object(opaque?.data) as { readonly phase?: unknown }
  return typeof phase === 'string' ? { phase } : {}
}

export function endEvents(open: OpenItem, done: OutputItem): readonly ItemEvent[] {
  const end = { type: 'response.output_item.done', output_index: open.index, item: done }
  return [...closingEvents(open, done), end]
}

function closingEvents(open: OpenItem, done: OutputItem): readonly ItemEvent[] {
  const { text } = open
  switch (open.kind) {
    case 'text':
    case 'refusal': {
      const part = contentOf(open)
      const type = open.kind === 'text' ? 'response.output_text.done' : 'response.refusal.done'
      const content = open.kind === 'text' ? { text, logprobs: [] } : { refusal: text }
      return [
        { type, ...at(open), content_index: 0, ...content },
        { type: 'response.content_part.done', ...at(open), content_index: 0, part },
      ]
    }
    case 'thinking': {
      const part = { type: 'summary_text', text }
      return [
        { type: 'response.reasoning_summary_text.done', ...at(open), summary_index: 0, text },
        { type: 'response.reasoning_summary_part.done', ...at(open), summary_index: 0, part },
      ]
    }
    case 'function': {
      const { name, arguments: args } = done
      const whole = text === '' && args !== '' ? deltaEvents(open, String(args)) : []
      return [...whole, { type: 'response.function_call_arguments.done', ...at(open), name, arguments: args }]
    }
    case 'custom': {
      const input = inputOf(text)
      const rest = input.slice(open.freeform.length)
      const last = rest === '' && open.freeform.length > 0 ? [] : [inputDelta(open, rest)]
      return [...last, { type: 'response.custom_tool_call_input.done', ...at(open), input }]
    }
    default:
      return []
  }
}

/** An item without pieces: it is announced and done at once. */
export const wholeItem = (item: OutputItem, output_index: number): readonly ItemEvent[] => [
  { type: 'response.output_item.added', output_index, item },
  { type: 'response.output_item.done', output_index, item },
]

export function searchItem(search: ServedSearch, id: string): OutputItem {
  const { query, sources, isFailed } = search
  return {
    id,
    type: 'web_search_call',
    status: isFailed ? 'failed' : 'completed',
    action: {
      type: 'search',
      query,
      queries: [query],
      sources: sources.map(({ url }) => ({ type: 'url', url })),
    },
  }
}

export function searchEvents(item: OutputItem, output_index: number): readonly ItemEvent[] {
  const position = { output_index, item_id: item.id }
  const [added, done] = wholeItem(item, output_index)
  const state = (name: string): ItemEvent => ({ type: `response.web_search_call.${name}`, ...position })
  const started = { ...added, type: 'response.output_item.added', item: { ...item, status: 'in_progress' } }
  return [
    started,
    state('in_progress'),
    state('searching'),
    state('completed'),
    { ...done, type: 'response.output_item.done' },
  ]
}
