/** Turns as content blocks of the Messages API. Pure; no block it makes is empty. */
import {
  type ContentPart,
  type InlinePart,
  isObject,
  systemNotice,
  type ToolResultPart,
  toInline,
} from '@toolwire/core'
import { exactArguments } from '../shared/exact-arguments.ts'
import type { NameMap } from '../shared/legal-names.ts'
import type { AssistantTurnPart, Turn, UserPart } from '../shared/turns.ts'
import type {
  AssistantBlock,
  DocumentBlock,
  ImageBlock,
  TextBlock,
  ToolResultBlock,
  UserBlock,
} from './schema.ts'

/** Results first, then what was said, as the provider demands. */
export function toUserBlocks(
  turn: Extract<Turn, { role: 'user' }>,
  boundary: string | undefined,
): readonly UserBlock[] {
  const said = turn.content.map(part => toUserBlock(part, boundary))
  return [...turn.results.map(toResult), ...withText(said)]
}

/**
 * System text at the very end of a turn, separated from the rest: the only position where models with that role
 * accept it. Elsewhere it stays in the user's message, marked as the system's.
 */
export function splitSystem(turn: Extract<Turn, { role: 'user' }>): {
  readonly said: Extract<Turn, { role: 'user' }>
  readonly system: readonly TextBlock[]
} {
  const end = turn.content.findLastIndex(part => part.type !== 'system') + 1
  if (end === 0 && turn.results.length === 0) return { said: turn, system: [] }
  const system = turn.content
    .slice(end)
    .flatMap((part): readonly TextBlock[] =>
      part.type === 'system' ? [{ type: 'text', text: part.text }] : [],
    )
  return { said: { ...turn, content: turn.content.slice(0, end) }, system }
}

function toUserBlock(part: UserPart, boundary: string | undefined): TextBlock | ImageBlock | DocumentBlock {
  if (part.type === 'system') return { type: 'text', text: systemNotice(part.text, boundary) }
  return toContent(part)
}

function toContent(content: ContentPart): TextBlock | ImageBlock | DocumentBlock {
  const part = toInline(content)
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { source, title } = part
  if (part.type === 'audio')
    return { type: 'text', text: `[audio ${title ?? ''} was attached; this model cannot hear it]` }
  if (part.type === 'image' && source.type !== 'text') return { type: 'image', source: toSource(source) }
  return { type: 'document', source: toSource(source), ...(title === undefined ? {} : { title }) }
}

function toSource(source: Exclude<InlinePart, { type: 'text' }>['source']): DocumentBlock['source'] {
  if (source.type === 'url') return { type: 'url', url: source.url }
  // The provider knows one type of plain text, and one of document beside it.
  if (source.type === 'text') return { ...source, media_type: 'text/plain' }
  if (!/^(text\/|application\/(json|xml))/.test(source.media_type)) return source
  return { type: 'text', media_type: 'text/plain', data: Buffer.from(source.data, 'base64').toString('utf8') }
}

/** The provider refuses a document that comes without a word. */
function withText(blocks: readonly (TextBlock | ImageBlock | DocumentBlock)[]): readonly UserBlock[] {
  const isMute =
    blocks.some(block => block.type === 'document') && !blocks.some(block => block.type === 'text')
  return isMute ? [...blocks, { type: 'text', text: 'See the attached document.' }] : blocks
}

function toResult(result: ToolResultPart): ToolResultBlock {
  const content = resultContent(result)
  return {
    type: 'tool_result',
    tool_use_id: result.call_id,
    ...(content.length > 0 ? { content } : {}),
    ...(result.is_error ? { is_error: true } : {}),
  }
}

/** The text the model is to see, and what is not text beside it. An error may hold text alone. */
function resultContent(result: ToolResultPart): readonly (TextBlock | ImageBlock | DocumentBlock)[] {
  const text: readonly TextBlock[] =
    result.output_text.trim() === '' ? [] : [{ type: 'text', text: result.output_text }]
  if (result.is_error) return text.length > 0 ? text : [{ type: 'text', text: 'The call failed.' }]
  return [...text, ...result.content.filter(part => part.type !== 'text').map(toContent)]
}

/**
 * Thinking at the very end of a turn is dropped: the provider takes none there. A turn that is
 * the last of its request is one to continue, and must not end in white space.
 */
export function toAssistantBlocks(
  parts: readonly AssistantTurnPart[],
  names: NameMap,
  isLast: boolean,
): readonly AssistantBlock[] {
  const blocks = parts.map(part => toAssistantBlock(part, names))
  const end = blocks.findLastIndex(block => block.type !== 'thinking' && block.type !== 'redacted_thinking')
  const kept = blocks.slice(0, end + 1)
  const tail = kept.at(-1)
  if (!isLast || tail?.type !== 'text' || typeof tail.text !== 'string') return kept
  return [...kept.slice(0, -1), { ...tail, type: 'text', text: tail.text.trimEnd() }]
}

function toAssistantBlock(part: AssistantTurnPart, names: NameMap): AssistantBlock {
  switch (part.type) {
    case 'text': {
      const citations = part.provider === 'anthropic' ? part.citations?.filter(isObject) : undefined
      return { type: 'text', text: part.text, ...(citations?.length ? { citations } : {}) }
    }
    case 'refusal':
      return { type: 'text', text: part.text }
    case 'thinking':
      return { type: 'thinking', thinking: part.thinking, signature: part.signature ?? '' }
    case 'tool_use':
      return {
        type: 'tool_use',
        id: part.call_id,
        name: names.toWire(part.name),
        input: exactArguments(part.input_text),
      }
    case 'redacted_thinking':
      return part.data as AssistantBlock
    case 'provider':
      return toProviderBlock(part)
  }
}

/** As it came, with the arguments that followed it. */
function toProviderBlock(part: Extract<AssistantTurnPart, { type: 'provider' }>): AssistantBlock {
  const block = part.data as AssistantBlock
  if (part.kind !== 'provider_tool_use' || !part.input_text) return block
  return { ...block, input: exactArguments(part.input_text) }
}
