/** One content block of a Messages stream, from start to stop. Pure. */
import type { BlockKind, ModelPart } from '@toolwire/core'
import { asString, isObject, type JsonObject } from '../shared/json.ts'

export interface OpenBlock {
  /** The number the provider gave it. */
  readonly at: unknown
  readonly index: number
  readonly kind: BlockKind
  /** The latest signature; told at the end, because a later one replaces an earlier one. */
  readonly signature?: string
  /** Arguments that came with the start; used when no delta brings any. */
  readonly input?: string
}

export interface StartedBlock {
  readonly block: OpenBlock
  readonly parts: readonly ModelPart[]
}

/** Undefined for a kind of block we do not know; its deltas then find no block either. */
export function startBlock(raw: JsonObject, at: unknown, index: number): StartedBlock | undefined {
  const type = asString(raw['type']) ?? ''
  switch (type) {
    case 'text':
      return opened({ at, index, kind: 'text' }, said(index, 'text', raw['text']))
    case 'thinking': {
      const signature = asString(raw['signature'])
      const block: OpenBlock = { at, index, kind: 'thinking', ...(signature ? { signature } : {}) }
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

function opened(block: OpenBlock, more: readonly ModelPart[], data?: unknown): StartedBlock {
  const start: ModelPart = {
    type: 'block-start',
    index: block.index,
    kind: block.kind,
    ...(data === undefined ? {} : { data }),
  }
  return { block, parts: [start, ...more] }
}

function openedTool(raw: JsonObject, block: OpenBlock, data?: unknown): StartedBlock {
  const { index, kind } = block
  const tool = { id: asString(raw['id']) ?? '', name: asString(raw['name']) ?? '' }
  const input = isObject(raw['input']) ? JSON.stringify(raw['input']) : '{}'
  return {
    block: { ...block, input },
    parts: [{ type: 'block-start', index, kind, tool, ...(data === undefined ? {} : { data }) }],
  }
}

function said(index: number, field: 'text' | 'thinking', value: unknown): readonly ModelPart[] {
  return typeof value === 'string' && value !== '' ? [{ type: 'block-delta', index, [field]: value }] : []
}

/** Returns the same block when nothing about it is to be remembered. */
export function deltaBlock(
  block: OpenBlock,
  delta: JsonObject,
): { readonly block: OpenBlock; readonly parts: readonly ModelPart[] } {
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

function inputDelta(block: OpenBlock, input_text: string): ReturnType<typeof deltaBlock> {
  if (input_text === '') return { block, parts: [] }
  const { input, ...rest } = block
  return {
    block: input === undefined ? block : rest,
    parts: [{ type: 'block-delta', index: block.index, input_text }],
  }
}

/** What is left to say when a block ends, and its end. */
export function closeBlock(block: OpenBlock): readonly ModelPart[] {
  const { index } = block
  const end: ModelPart = { type: 'block-end', index }
  if (block.signature) return [{ type: 'block-delta', index, signature: block.signature }, end]
  if (block.input !== undefined) return [{ type: 'block-delta', index, input_text: block.input }, end]
  return [end]
}
