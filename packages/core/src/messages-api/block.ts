/**
 * One content block of the Messages API, from start to stop, as parts of a model's message. Pure. Lives in core
 * because the Anthropic model and the Claude engine both read these events and may not import each other.
 */
import type { BlockKind } from '../event.ts'
import { asString, isObject, type JsonObject } from '../json.ts'
import type { ModelPart } from '../model.ts'

export interface MessagesBlock {
  /** The number the provider gave it. */
  readonly at: unknown
  readonly index: number
  readonly kind: BlockKind
  /** The latest signature; emitted at the end, because a later one replaces an earlier one. */
  readonly signature?: string
  /** Arguments that came with the start; used when no delta brings any. */
  readonly input?: string
}

export interface StartedMessagesBlock {
  readonly block: MessagesBlock
  readonly parts: readonly ModelPart[]
}

/** Undefined for a kind of block we do not know; its deltas then find no block either. */
export function startMessagesBlock(
  raw: JsonObject,
  at: unknown,
  index: number,
): StartedMessagesBlock | undefined {
  const type = asString(raw['type']) ?? ''
  switch (type) {
    case 'text':
      return opened({ at, index, kind: 'text' }, said(index, 'text', raw['text']))
    case 'thinking': {
      const signature = asString(raw['signature'])
      const block: MessagesBlock = { at, index, kind: 'thinking', ...(signature ? { signature } : {}) }
      return opened(block, said(index, 'thinking', raw['thinking']))
    }
    case 'redacted_thinking':
      return opened({ at, index, kind: 'redacted_thinking' }, [], raw)
    case 'tool_use':
      return openedTool(raw, { at, index, kind: 'tool_use' })
    case 'server_tool_use':
    case 'mcp_tool_use':
      return openedTool(raw, { at, index, kind: 'provider_tool_use' }, raw)
    case 'container_upload':
      return opened({ at, index, kind: 'file' }, [], raw)
    default:
      return type.endsWith('_tool_result')
        ? opened({ at, index, kind: 'provider_tool_result' }, [], raw)
        : undefined
  }
}

function opened(block: MessagesBlock, more: readonly ModelPart[], data?: unknown): StartedMessagesBlock {
  const start: ModelPart = {
    type: 'block-start',
    index: block.index,
    kind: block.kind,
    ...(data === undefined ? {} : { data }),
  }
  return { block, parts: [start, ...more] }
}

function openedTool(raw: JsonObject, block: MessagesBlock, data?: unknown): StartedMessagesBlock {
  const { index, kind } = block
  const tool = { id: asString(raw['id']) ?? '', name: asString(raw['name']) ?? '' }
  const input = isObject(raw['input']) ? JSON.stringify(raw['input']) : '{}'
  return {
    block: { ...block, input },
    parts: [{ type: 'block-start', index, kind, tool, ...(data === undefined ? {} : { data }) }],
  }
}

function said(index: number, field: 'text' | 'thinking', value: unknown): readonly ModelPart[] {
  if (typeof value !== 'string' || value === '') return []
  return [
    field === 'text'
      ? { type: 'block-delta', index, text: value }
      : { type: 'block-delta', index, thinking: value },
  ]
}

/** Returns the same block when nothing about it is to be remembered. */
export function deltaMessagesBlock(
  block: MessagesBlock,
  delta: JsonObject,
): { readonly block: MessagesBlock; readonly parts: readonly ModelPart[] } {
  switch (delta['type']) {
    case 'text_delta':
      return { block, parts: said(block.index, 'text', delta['text']) }
    case 'thinking_delta':
      return { block, parts: said(block.index, 'thinking', delta['thinking']) }
    case 'citations_delta':
      return { block, parts: [{ type: 'block-delta', index: block.index, citation: delta['citation'] }] }
    case 'signature_delta':
      return { block: { ...block, signature: asString(delta['signature']) ?? '' }, parts: [] }
    case 'input_json_delta':
      return inputDelta(block, asString(delta['partial_json']) ?? '')
    default:
      return { block, parts: [] }
  }
}

function inputDelta(block: MessagesBlock, input_text: string): ReturnType<typeof deltaMessagesBlock> {
  if (input_text === '') return { block, parts: [] }
  const { input, ...rest } = block
  return {
    block: input === undefined ? block : rest,
    parts: [{ type: 'block-delta', index: block.index, input_text }],
  }
}

/** Returns the remaining parts of a block and its end. */
export function closeMessagesBlock(block: MessagesBlock): readonly ModelPart[] {
  const { index } = block
  const end: ModelPart = { type: 'block-end', index }
  if (block.signature) return [{ type: 'block-delta', index, signature: block.signature }, end]
  if (block.input !== undefined) return [{ type: 'block-delta', index, input_text: block.input }, end]
  return [end]
}
