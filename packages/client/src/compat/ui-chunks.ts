/** One run of the log as chunks of the AI SDK's UI message stream: a pure fold, record by record. */
import type { SessionEvent } from '@toolwire/core'

/** The chunks that come out of here; those of the AI SDK are more. */
export type UiChunk =
  | { type: 'start' | 'start-step' | 'finish-step' }
  | { type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; id: string }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | {
      type: 'tool-input-start'
      toolCallId: string
      toolName: string
      dynamic: true
      providerExecuted: boolean
    }
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | {
      type: 'tool-input-available'
      toolCallId: string
      toolName: string
      input: unknown
      dynamic: true
      providerExecuted: boolean
    }
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string }
  | {
      type: 'tool-output-available'
      toolCallId: string
      output: unknown
      dynamic: true
      providerExecuted: boolean
    }
  | {
      type: 'tool-output-error'
      toolCallId: string
      errorText: string
      dynamic: true
      providerExecuted: boolean
    }
  | { type: 'tool-output-denied'; toolCallId: string }
  | { type: 'error'; errorText: string }
  | { type: 'abort'; reason: string }
  | { type: 'finish'; finishReason: 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'error' | 'other' }

type EventOf<T extends SessionEvent['type']> = Extract<SessionEvent, { readonly type: T }>

interface OpenBlock {
  readonly kind: 'text' | 'reasoning' | 'tool'
  /** Of the block, or of the call. */
  readonly id: string
  /** Characters sent so far. */
  told: number
}

/** Holds what is open between two records. One for every stream: records of one run, in order. */
export class UiChunks {
  readonly #blocks = new Map<string, OpenBlock>()
  /** Calls that the page runs itself. */
  readonly #mine = new Set<string>()

  /**
   * The chunks that this record adds; none for what the AI SDK has no word for, nor for what cannot be read as its type
   * says. Records of nested agents are left out. Never throws.
   */
  next(ev: SessionEvent): readonly UiChunk[] {
    if (ev.agent_run_id !== undefined) return []
    try {
      return this.#next(ev)
    } catch {
      return []
    }
  }

  #next(ev: SessionEvent): readonly UiChunk[] {
    switch (ev.type) {
      case 'run.started':
        return [{ type: 'start' }]
      case 'message.started':
        return [{ type: 'start-step' }]
      case 'turn.completed':
        return [{ type: 'finish-step' }]
      case 'message.aborted':
        return [...this.#closeAll(), { type: 'finish-step' }]
      case 'run.completed':
        return [{ type: 'finish', finishReason: FINISH.get(ev.finish) ?? 'other' }]
      case 'run.paused':
        return [{ type: 'finish', finishReason: 'tool-calls' }]
      case 'run.failed':
        return [...this.#closeAll(), { type: 'error', errorText: ev.error.message }]
      case 'run.cancelled':
        return [...this.#closeAll(), { type: 'abort', reason: ev.reason }]
      case 'block.started':
      case 'block.delta':
      case 'block.completed':
        return this.#block(ev)
      default:
        return this.#call(ev)
    }
  }

  #block(ev: EventOf<'block.started' | 'block.delta' | 'block.completed'>): readonly UiChunk[] {
    if (ev.type === 'block.started') return this.#begin(ev)
    const block = this.#blocks.get(ev.block_id)
    if (!block) return []
    const text = ev.text ?? ev.thinking ?? ev.input_text ?? ''
    if (ev.type === 'block.delta') return tell(block, ev.offset, text)
    this.#blocks.delete(ev.block_id)
    // No delta was sent: send the whole text.
    return [...tell(block, 0, text), ...close(block)]
  }

  #begin(ev: EventOf<'block.started'>): readonly UiChunk[] {
    const kind = KINDS.get(ev.kind)
    if (!kind) return []
    const id = ev.tool?.call_id ?? ev.block_id
    this.#blocks.set(ev.block_id, { kind, id, told: 0 })
    if (kind !== 'tool') return [{ type: `${kind}-start`, id }]
    if (ev.tool?.executor === 'client') this.#mine.add(id)
    return [{ type: 'tool-input-start', toolName: ev.tool?.name ?? '', ...this.#of(id) }]
  }

  #closeAll(): readonly UiChunk[] {
    const open = [...this.#blocks.values()]
    this.#blocks.clear()
    return open.flatMap(close)
  }

  #call(ev: SessionEvent): readonly UiChunk[] {
    switch (ev.type) {
      case 'tool.ready':
        return [{ type: 'tool-input-available', toolName: ev.name, input: ev.input, ...this.#of(ev.call_id) }]
      case 'tool.approval_requested':
        // A question wants words, which an approval cannot carry: it is answered through the client.
        if (ev.kind === 'question' || ev.automatic) return []
        return [{ type: 'tool-approval-request', approvalId: ev.approval_id, toolCallId: ev.call_id }]
      case 'tool.completed': {
        const of = this.#of(ev.call_id)
        if (ev.is_error) return [{ type: 'tool-output-error', errorText: ev.output_text, ...of }]
        return [{ type: 'tool-output-available', output: ev.structured ?? ev.output_text, ...of }]
      }
      case 'tool.failed':
        if (ev.error.layer === 'permission') return [{ type: 'tool-output-denied', toolCallId: ev.call_id }]
        return [{ type: 'tool-output-error', errorText: ev.error.message, ...this.#of(ev.call_id) }]
      default:
        return []
    }
  }

  /** To the page a tool that runs anywhere else is one that the provider runs: it must not wait for it. */
  #of(toolCallId: string) {
    return { toolCallId, dynamic: true, providerExecuted: !this.#mine.has(toolCallId) } as const
  }
}

/** Unlisted types, such as those of a newer server, have no chunks. */
const KINDS: ReadonlyMap<string, OpenBlock['kind']> = new Map([
  ['text', 'text'],
  ['refusal', 'text'],
  ['thinking', 'reasoning'],
  ['tool_use', 'tool'],
  ['provider_tool_use', 'tool'],
])

type FinishReason = Extract<UiChunk, { type: 'finish' }>['finishReason']

/** Everything else is `other`. */
const FINISH: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool-calls'],
  ['content_filter', 'content-filter'],
  ['refusal', 'content-filter'],
  ['error', 'error'],
])

/** The unsent part of a text that begins at `offset`. */
function tell(block: OpenBlock, offset: number, text: string): readonly UiChunk[] {
  // After a gap nothing fits any more until the whole comes.
  if (offset > block.told) return []
  const delta = text.slice(block.told - offset)
  if (delta === '') return []
  block.told += delta.length
  if (block.kind === 'tool')
    return [{ type: 'tool-input-delta', toolCallId: block.id, inputTextDelta: delta }]
  return [{ type: `${block.kind}-delta`, id: block.id, delta }]
}

const close = ({ kind, id }: OpenBlock): readonly UiChunk[] =>
  kind === 'tool' ? [] : [{ type: `${kind}-end`, id }]
