/**
 * An external conversation as events of a new session: inputs, synthesized turns and results, all marked as
 * imported. Folding them gives exactly the sent history, and the runtime continues after the last event. Pure but
 * for the ids.
 */
import {
  type AssistantPart,
  type EventOf,
  type Ids,
  type RunLimits,
  runLimits,
  type SessionEvent,
  type ToolResultPart,
  type ToolSpec,
  type Usage,
} from '@toolwire/core'
import { type ImportedMessage, settleResults, type Tail } from '@toolwire/wire'

export interface ImportSetup {
  readonly model: string
  readonly client_tools: readonly ToolSpec[]
  readonly options: Readonly<Record<string, unknown>>
  /** The wire that the request came through. */
  readonly protocol: string
  readonly limits: RunLimits
}

export interface ImportedHistory {
  readonly events: readonly SessionEvent[]
  /** The run that answers. */
  readonly run_id: string
  /** Number of events that belong to the past; the response starts after them. */
  readonly past: number
}

const NO_USAGE: Usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 }
const VIA = { protocol: 'import' } as const

/** The events that follow `session.created`. */
export function importHistory(
  history: readonly ImportedMessage[],
  tail: Tail,
  setup: ImportSetup,
  made: { readonly ids: Ids; readonly ts: string },
): ImportedHistory {
  const writer = new HistoryWriter(setup, made)
  const settled = settleResults({ history, tail })
  for (const message of settled.history) writer.add(message)
  return writer.finish(settled.tail)
}

class HistoryWriter {
  readonly #setup: ImportSetup
  readonly #ids: Ids
  readonly #ts: string
  readonly #events: SessionEvent[] = []
  readonly #conversation: string
  #run: string | undefined
  #before: string | undefined
  #turn = 0
  #blocks = 0
  #calls: readonly Extract<AssistantPart, { type: 'tool_use' }>[] = []

  constructor(setup: ImportSetup, made: { readonly ids: Ids; readonly ts: string }) {
    this.#setup = setup
    this.#ids = made.ids
    this.#ts = made.ts
    this.#conversation = made.ids.uuid()
  }

  add(message: ImportedMessage): void {
    switch (message.role) {
      case 'user':
      case 'system':
        this.#input(message)
        break
      case 'assistant':
        this.#assistant(message)
        break
      case 'tool':
        this.#results(message.results)
    }
  }

  finish(tail: Tail): ImportedHistory {
    if (tail.type === 'results') return this.#resume(tail.results)
    this.#close()
    const past = this.#events.length
    const run_id = this.#ids.uuid()
    if (tail.type !== 'continue') this.#events.push(this.#message(run_id, tail.content))
    else this.#events.push(this.#started(run_id, 'regenerate'))
    return { events: this.#events, run_id, past }
  }

  /** The past ends in a pause; the run that processes its answers has started and continues to the model. */
  #resume(results: readonly ToolResultPart[]): ImportedHistory {
    const run = this.#open()
    const at = this.#at()
    const pending = this.#calls.map(({ call_id, name, input_text }) => ({
      kind: 'client_tool' as const,
      id: call_id,
      call_id,
      name,
      input_text,
    }))
    for (const { call_id, name, input_text } of this.#calls)
      this.#events.push({ type: 'tool.client_requested', ...at, call_id, name, input_text })
    this.#events.push({ type: 'run.paused', ...at, reason: 'client_tool_execution', pending })
    const past = this.#events.length
    const run_id = this.#ids.uuid()
    this.#events.push({ ...this.#started(run_id, 'tool_outputs'), resumes_run_id: run })
    this.#run = run_id
    this.#results(results)
    return { events: this.#events, run_id, past }
  }

  #input(message: Extract<ImportedMessage, { role: 'user' | 'system' }>): void {
    this.#close()
    const run_id = this.#ids.uuid()
    const { role, content } = message
    this.#events.push({
      type: 'input.message',
      ts: this.#ts,
      run_id,
      message_id: this.#ids.prefixed('msg_'),
      role,
      content: [...content],
      via: VIA,
    })
    this.#begin(run_id)
  }

  #assistant(message: Extract<ImportedMessage, { role: 'assistant' }>): void {
    this.#open()
    const turn = this.#turn++
    const at = { ...this.#at(), turn }
    const message_id = this.#ids.prefixed('msg_')
    const { provider, content } = message
    this.#calls = content.flatMap(part => (part.type === 'tool_use' ? [part] : []))
    this.#events.push(
      { type: 'turn.started', ...at, provider, model: this.#setup.model, attempt: 1 },
      { type: 'message.started', ...at, message_id, provider_message_id: message_id, role: 'assistant' },
    )
    for (const [index, part] of content.entries()) {
      const block_id = `${message_id}.${index}`
      const run_index = this.#blocks++
      this.#events.push(
        { type: 'block.started', ...at, message_id, block_id, index, run_index, ...toStart(part) },
        { type: 'block.completed', ...at, block_id, ...toCompletion(part), ...opaqueOf(part) },
      )
    }
    const asks = this.#calls.length > 0
    this.#events.push({
      type: 'turn.completed',
      ...at,
      message_id,
      stop_reason: asks ? 'tool_use' : 'end_turn',
      finish: asks ? 'tool_calls' : 'stop',
      usage: NO_USAGE,
      has_next: asks,
    })
  }

  #results(results: readonly ToolResultPart[]): void {
    const at = this.#at()
    for (const { call_id, content, output_text, is_error } of results)
      this.#events.push({
        type: 'tool.completed',
        ...at,
        call_id,
        content: [...content],
        output_text,
        is_error,
        duration_ms: 0,
      })
  }

  #message(run_id: string, content: Extract<Tail, { type: 'message' }>['content']): SessionEvent {
    const { protocol, client_tools, model, options, limits } = this.#setup
    return {
      type: 'input.message',
      ts: this.#ts,
      run_id,
      message_id: this.#ids.prefixed('msg_'),
      role: 'user',
      content: [...content],
      via: { protocol },
      client_tools: [...client_tools],
      model,
      options: { ...options },
      ...runLimits(limits),
    }
  }

  #started(run_id: string, trigger: EventOf<'run.started'>['trigger']): EventOf<'run.started'> {
    const { protocol, client_tools, model, options, limits } = this.#setup
    return {
      type: 'run.started',
      ts: this.#ts,
      run_id,
      conversation_id: this.#conversation,
      trigger,
      via: { protocol },
      client_tools: [...client_tools],
      model,
      options: { ...options },
      ...runLimits(limits),
    }
  }

  /** Imported runs belong to one conversation, so that they do not count as many. */
  #begin(run_id: string): string {
    this.#events.push({
      type: 'run.started',
      ts: this.#ts,
      run_id,
      conversation_id: this.#conversation,
      trigger: 'message',
      ...(this.#before === undefined ? {} : { resumes_run_id: this.#before }),
      via: VIA,
      client_tools: [...this.#setup.client_tools],
      model: this.#setup.model,
    })
    this.#run = run_id
    return run_id
  }

  #open(): string {
    return this.#run ?? this.#begin(this.#ids.uuid())
  }

  #close(): void {
    if (this.#run === undefined) return
    this.#events.push({
      type: 'run.completed',
      ...this.#at(),
      status: 'success',
      finish: 'stop',
      result_text: '',
      usage_by_model: [],
      duration_ms: 0,
      num_turns: 0,
    })
    this.#before = this.#run
    this.#run = undefined
  }

  #at(): { readonly ts: string; readonly run_id: string } {
    return { ts: this.#ts, run_id: this.#run ?? '' }
  }
}

function toStart(part: AssistantPart): Pick<EventOf<'block.started'>, 'kind' | 'tool'> {
  if (part.type === 'provider') return { kind: part.kind }
  if (part.type !== 'tool_use') return { kind: part.type }
  const { call_id, name } = part
  return { kind: 'tool_use', tool: { call_id, name, tool_type: 'function', executor: 'client' } }
}

type Completion = Omit<EventOf<'block.completed'>, 'type' | 'ts' | 'block_id'>

const opaqueOf = ({ opaque }: AssistantPart): Pick<Completion, 'opaque'> =>
  opaque === undefined ? {} : { opaque }

function toCompletion(part: AssistantPart): Completion {
  switch (part.type) {
    case 'text':
      return { text: part.text, ...(part.citations ? { citations: [...part.citations] } : {}) }
    case 'thinking':
      return {
        thinking: part.thinking,
        ...(part.signature === undefined ? {} : { signature: part.signature }),
      }
    case 'redacted_thinking':
      return { data: part.data }
    case 'refusal':
      return { text: part.text }
    case 'tool_use':
      return { input_text: part.input_text }
    case 'provider':
      return { data: part.data, ...(part.input_text === undefined ? {} : { input_text: part.input_text }) }
  }
}
