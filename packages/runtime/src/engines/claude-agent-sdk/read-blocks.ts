/** Content blocks of the child's messages, streamed or whole, as parts. Pure. */
import type { BlockKind, ModelPart } from '@toolwire/core'
import { asObject, asText, type JsonObject } from './json.ts'

export interface OpenBlock {
  /** The number the child gave it. */
  readonly at: unknown
  readonly index: number
  readonly kind: BlockKind
  /** Nothing of its arguments has been seen yet. */
  readonly bare: boolean
}

/** Undefined for a kind of block that the log does not know. */
export function startParts(
  raw: JsonObject,
  at: unknown,
  index: number,
): { readonly block: OpenBlock; readonly parts: readonly ModelPart[] } | undefined {
  const kind = kindOf(asText(raw['type']))
  if (!kind) return undefined
  const isTool = kind === 'tool_use' || kind === 'provider_tool_use'
  const start: ModelPart = {
    type: 'block-start',
    index,
    kind,
    ...(isTool ? { tool: { id: asText(raw['id']), name: asText(raw['name']) } } : {}),
    ...(kind === 'text' || kind === 'thinking' || kind === 'tool_use' ? {} : { data: raw }),
  }
  const text = kind === 'text' ? saidParts(index, 'text', raw['text']) : []
  return { block: { at, index, kind, bare: isTool }, parts: [start, ...text] }
}

function kindOf(type: string): BlockKind | undefined {
  switch (type) {
    case 'text':
    case 'thinking':
    case 'redacted_thinking':
    case 'tool_use':
      return type
    case 'server_tool_use':
      return 'provider_tool_use'
    default:
      return type.endsWith('_tool_result') ? 'provider_tool_result' : undefined
  }
}

export function deltaParts(
  block: OpenBlock,
  delta: JsonObject,
): { readonly block: OpenBlock; readonly parts: readonly ModelPart[] } {
  const { index } = block
  switch (delta['type']) {
    case 'text_delta':
      return { block, parts: saidParts(index, 'text', delta['text']) }
    case 'thinking_delta':
      return { block, parts: saidParts(index, 'thinking', delta['thinking']) }
    case 'signature_delta':
      return { block, parts: saidParts(index, 'signature', delta['signature']) }
    case 'citations_delta':
      return { block, parts: [{ type: 'block-delta', index, citation: delta['citation'] }] }
    case 'input_json_delta': {
      const parts = saidParts(index, 'input_text', delta['partial_json'])
      return { block: parts.length > 0 ? { ...block, bare: false } : block, parts }
    }
    default:
      return { block, parts: [] }
  }
}

/** A call without a word of arguments has empty ones. */
export function endParts({ index, bare }: OpenBlock): readonly ModelPart[] {
  const end: ModelPart = { type: 'block-end', index }
  return bare ? [{ type: 'block-delta', index, input_text: '{}' }, end] : [end]
}

/** A block that arrived complete. */
export function wholeParts(raw: JsonObject, index: number): readonly ModelPart[] {
  const started = startParts(raw, index, index)
  if (!started) return []
  const { block, parts } = started
  const rest = [
    ...saidParts(index, 'thinking', block.kind === 'thinking' ? raw['thinking'] : undefined),
    ...saidParts(index, 'signature', block.kind === 'thinking' ? raw['signature'] : undefined),
    ...saidParts(index, 'input_text', block.bare ? JSON.stringify(asObject(raw['input'])) : undefined),
  ]
  return [...parts, ...rest, { type: 'block-end', index }]
}

type Field = 'text' | 'thinking' | 'signature' | 'input_text'

function saidParts(index: number, field: Field, value: unknown): readonly ModelPart[] {
  return typeof value === 'string' && value !== '' ? [{ type: 'block-delta', index, [field]: value }] : []
}
