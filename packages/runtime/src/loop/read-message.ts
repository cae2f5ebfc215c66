/** One model message: parts in, session events out. Pure but for the ids it is given. */
import type { BlockKind, EventOf, ModelPart, Opaque, SessionEvent, Warning } from '@toolwire/core'
import type { CallIds } from './used-call-ids.ts'

type DeltaPart = Extract<ModelPart, { type: 'block-delta' }>

interface BlockStamp {
  readonly ts: string
  readonly run_id: string
  readonly agent_run_id?: string
  readonly turn: number
}

export interface MessageContext {
  readonly message_id: string
  readonly stamp: () => BlockStamp
  /** The first free `run_index` of the conversation. */
  readonly firstIndex: number
  /** The runner of a tool of this name, as `block.started` names it. */
  readonly describeTool: (
    name: string,
  ) => Omit<NonNullable<EventOf<'block.started'>['tool']>, 'call_id' | 'name'>
  /** Ids in use; the message's own are added. A provider that repeats one gets a new id for the new call. */
  readonly callIds: CallIds
  readonly newCallId: () => string
  /** Changes to report before the provider's own warnings; none if absent. */
  readonly warnings?: readonly Warning[]
}

interface OpenBlock {
  readonly block_id: string
  readonly kind: BlockKind
  readonly data?: unknown
  length: number
  readonly texts: string[]
  readonly signatures: string[]
  readonly citations: unknown[]
}

/** Returns the events of each part. Blocks must arrive one after another (see sequence-blocks.ts). */
export function createMessageReader(context: MessageContext): (part: ModelPart) => readonly SessionEvent[] {
  const { message_id, stamp, callIds } = context
  let block: OpenBlock | undefined
  let index = 0

  function startBlock(part: Extract<ModelPart, { type: 'block-start' }>): readonly SessionEvent[] {
    const position = index++
    block = {
      block_id: `${message_id}.${position}`,
      kind: part.kind,
      ...(part.data === undefined ? {} : { data: part.data }),
      length: 0,
      texts: [],
      signatures: [],
      citations: [],
    }
    const started: EventOf<'block.started'> = {
      type: 'block.started',
      ...stamp(),
      message_id,
      block_id: block.block_id,
      index: position,
      run_index: context.firstIndex + position,
      kind: part.kind,
      ...(part.tool
        ? {
            tool: {
              call_id: callId(part.tool.id),
              name: part.tool.name,
              ...(part.kind === 'provider_tool_use'
                ? { tool_type: 'builtin', executor: 'provider' }
                : context.describeTool(part.tool.name)),
            },
          }
        : {}),
    }
    return [started]
  }

  function callId(id: string): string {
    const unique = id !== '' && !callIds.has(id) ? id : context.newCallId()
    callIds.add(unique)
    return unique
  }

  function delta(part: DeltaPart): readonly SessionEvent[] {
    if (!block) return []
    const { block_id, length } = block
    if (part.signature !== undefined) block.signatures.push(part.signature)
    if (part.citation !== undefined) block.citations.push(part.citation)
    const text = part.text ?? part.input_text ?? part.thinking
    if (text !== undefined) {
      block.texts.push(text)
      block.length += text.length
    }
    return [toDelta(stamp(), block_id, length, part)]
  }

  function endBlock({ opaque }: Extract<ModelPart, { type: 'block-end' }>): readonly SessionEvent[] {
    if (!block) return []
    const ended = block
    block = undefined
    const content = completion(ended, opaque)
    return [{ type: 'block.completed', ...stamp(), block_id: ended.block_id, ...content }]
  }

  return part => {
    switch (part.type) {
      case 'start':
        return [
          {
            type: 'message.started',
            ...stamp(),
            message_id,
            provider_message_id: part.provider_message_id,
            role: 'assistant',
            ...(part.model === '' ? {} : { model: part.model }),
            ...toWarnings([...(context.warnings ?? []), ...(part.warnings ?? [])]),
          },
        ]
      case 'block-start':
        return startBlock(part)
      case 'block-delta':
        return delta(part)
      case 'block-end':
        return endBlock(part)
      case 'retry':
      case 'end':
      case 'error':
        return []
    }
  }
}

/** Written out for the common case: this runs for every delta, and copies of unknown shape are dear. */
function toDelta(
  { ts, run_id, agent_run_id, turn }: BlockStamp,
  block_id: string,
  offset: number,
  part: DeltaPart,
): EventOf<'block.delta'> {
  const { text, input_text, thinking, signature, citation } = part
  const isPlain = (input_text ?? thinking ?? signature ?? citation) === undefined
  if (isPlain && text !== undefined && agent_run_id === undefined)
    return { type: 'block.delta', ts, run_id, turn, block_id, offset, text }
  const head: EventOf<'block.delta'> =
    agent_run_id === undefined
      ? { type: 'block.delta', ts, run_id, turn, block_id, offset }
      : { type: 'block.delta', ts, run_id, agent_run_id, turn, block_id, offset }
  const { type: _, index: __, ...payload } = part
  return { ...head, ...payload }
}

const toWarnings = (warnings: Warning[]): { readonly warnings?: Warning[] } =>
  warnings.length > 0 ? { warnings } : {}

type Completion = Omit<EventOf<'block.completed'>, 'type' | 'ts' | 'block_id'>

const completion = (block: OpenBlock, opaque: Opaque | undefined): Completion =>
  opaque === undefined ? contentOf(block) : { ...contentOf(block), opaque }

function contentOf(block: OpenBlock): Completion {
  const text = block.texts.join('')
  switch (block.kind) {
    case 'tool_use':
      return { input_text: text }
    case 'thinking':
      return {
        thinking: text,
        ...(block.signatures.length > 0 ? { signature: block.signatures.join('') } : {}),
      }
    case 'text':
    case 'refusal':
      return { text, ...(block.citations.length > 0 ? { citations: block.citations } : {}) }
    case 'redacted_thinking':
    case 'provider_tool_use':
    case 'provider_tool_result':
    case 'file':
      return { data: block.data ?? null, ...(text === '' ? {} : { input_text: text }) }
  }
}
