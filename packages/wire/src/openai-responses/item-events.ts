/** One output item as it is written: the events at its start, for its deltas and at its end. Pure. */
import type { OpenBlock } from '../gateway/answer-part.ts'
import type { OutputItem } from './response.ts'
import type { ToolForm } from './tools.ts'

export interface OpenItem {
  readonly kind: 'text' | 'refusal' | 'thinking' | 'function' | 'custom' | 'tool_search'
  readonly index: number
  readonly item: OutputItem
  readonly text: string
  readonly annotations: readonly unknown[]
}

export type ItemEvent = Readonly<Record<string, unknown>> & { readonly type: string }

const PREFIXES = {
  text: 'msg',
  refusal: 'msg',
  thinking: 'rs',
  function: 'fc',
  custom: 'ctc',
  tool_search: 'ts',
} as const

/** Undefined for blocks that this wire does not show. */
export function openItem(
  block: OpenBlock,
  { id, index, form }: { readonly id: string; readonly index: number; readonly form: ToolForm | undefined },
): OpenItem | undefined {
  if (block.kind === 'redacted_thinking' || block.kind === 'provider') return undefined
  const kind = block.kind === 'call' ? (form?.type ?? 'function') : block.kind
  const item = toItem(block, kind, { id: `${PREFIXES[kind]}_${id}_${index}`, form })
  return { kind, index, item, text: '', annotations: [] }
}

function toItem(
  block: OpenBlock,
  kind: OpenItem['kind'],
  { id, form }: { readonly id: string; readonly form: ToolForm | undefined },
): OutputItem {
  const status = 'in_progress'
  if (kind === 'thinking') return { id, type: 'reasoning', summary: [] }
  if (block.kind !== 'call') return { id, type: 'message', status, role: 'assistant', content: [] }
  const { call_id } = block
  const name = form?.name ?? block.name
  const namespace = form?.namespace === undefined ? {} : { namespace: form.namespace }
  if (kind === 'custom')
    return { id, type: 'custom_tool_call', status, call_id, name, ...namespace, input: '' }
  if (kind === 'tool_search')
    return { id, type: 'tool_search_call', status, call_id, execution: 'client', arguments: {} }
  return { id, type: 'function_call', status, call_id, name, ...namespace, arguments: '' }
}

const at = ({ item, index }: OpenItem) => ({ item_id: item.id, output_index: index })

const contentOf = ({ kind, text, annotations }: OpenItem) =>
  kind === 'refusal'
    ? { type: 'refusal', refusal: text }
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
    case 'function':
    case 'custom':
    case 'tool_search':
      return [added]
  }
}

/** Freeform text is inside of arguments, so it is known when they are complete. */
export function deltaEvents(open: OpenItem, delta: string): readonly ItemEvent[] {
  switch (open.kind) {
    case 'text':
      return [{ type: 'response.output_text.delta', ...at(open), content_index: 0, delta, logprobs: [] }]
    case 'refusal':
      return [{ type: 'response.refusal.delta', ...at(open), content_index: 0, delta }]
    case 'thinking':
      return [{ type: 'response.reasoning_summary_text.delta', ...at(open), summary_index: 0, delta }]
    case 'function':
      return [{ type: 'response.function_call_arguments.delta', ...at(open), delta }]
    case 'custom':
    case 'tool_search':
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

/** The item as it is at its end. */
export function doneItem(open: OpenItem, isWhole: boolean): OutputItem {
  const { item, text } = open
  const status = isWhole ? 'completed' : 'incomplete'
  switch (open.kind) {
    case 'text':
    case 'refusal':
      return { ...item, status, content: [contentOf(open)] }
    case 'thinking':
      return { ...item, summary: [{ type: 'summary_text', text }] }
    case 'function':
      return { ...item, status, arguments: text === '' && isWhole ? '{}' : text }
    case 'custom':
      return { ...item, status, input: inputOf(text) }
    case 'tool_search':
      return { ...item, status, arguments: parseObject(text) ?? {} }
  }
}

export function endEvents(open: OpenItem, done: OutputItem): readonly ItemEvent[] {
  const end = { type: 'response.output_item.done', output_index: open.index, item: done }
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
        end,
      ]
    }
    case 'thinking': {
      const part = { type: 'summary_text', text }
      return [
        { type: 'response.reasoning_summary_text.done', ...at(open), summary_index: 0, text },
        { type: 'response.reasoning_summary_part.done', ...at(open), summary_index: 0, part },
        end,
      ]
    }
    case 'function': {
      const { name, arguments: args } = done
      const whole = text === '' && args !== '' ? deltaEvents(open, String(args)) : []
      return [
        ...whole,
        { type: 'response.function_call_arguments.done', ...at(open), name, arguments: args },
        end,
      ]
    }
    case 'custom': {
      const input = inputOf(text)
      return [
        { type: 'response.custom_tool_call_input.delta', ...at(open), delta: input },
        { type: 'response.custom_tool_call_input.done', ...at(open), input },
        end,
      ]
    }
    case 'tool_search':
      return [end]
  }
}

/** The text inside `{"input": …}`; arguments of another form are the text. */
function inputOf(text: string): string {
  const input = parseObject(text)?.['input']
  return typeof input === 'string' ? input : text
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}
