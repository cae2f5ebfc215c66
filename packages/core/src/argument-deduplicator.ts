/**
 * The arguments of calls that one stream has carried. A log repeats them: in pieces, whole at the end of their block, with
 * the call that is ready, with the pause. Both ends of a stream keep one of these, so that the sender can leave
 * out what the receiver has, and the receiver gives everyone behind it the events as they are in the log.
 *
 * Invariant: with the same events from the same start, the receiver knows at least what the sender knows.
 */
import type { EventOf, SessionEvent } from './event.ts'

/** The stream refers to something that it has not carried: the two ends do not agree. */
export class MissingArgumentsError extends Error {
  constructor() {
    super('Arguments are left out.')
  }
}

/** Names of the fields of this object that were left out. `input_text` was sent before, `input` is that text read as JSON. */
type OmittedFields = { readonly omitted?: readonly string[] }
type LooseFields = Readonly<Record<string, unknown>> & OmittedFields

/** Shorter texts are repeated. */
const LARGE = 4096

interface PartialArguments {
  readonly call_id: string
  text: string
}

export class ArgumentDeduplicator {
  readonly #building = new Map<string, PartialArguments>()
  readonly #calls = new Map<string, string>()
  readonly #room: number

  /** `room`: characters to remember at most. A sender forgets everything beyond it; a receiver must not forget. */
  constructor(room: number = Number.POSITIVE_INFINITY) {
    this.#room = room
  }

  /** For an event that is about to be sent: the event itself, or one with `omitted` that the other end fills in. */
  omitRepeated(ev: SessionEvent): SessionEvent | LooseFields {
    const short = this.#shorten(ev)
    this.#note(ev)
    return short
  }

  /**
   * The event as the sender had it. Throws MissingArgumentsError, and nothing else, for one that refers to what was never sent. What
   * cannot be read as an event is given back as it is, and nothing is learnt from it.
   */
  restoreOmitted(ev: SessionEvent): SessionEvent {
    try {
      const whole = this.#complete(ev)
      this.#note(whole)
      return whole
    } catch (thrown) {
      // Only what is no event gives a TypeError; arguments that are no JSON cannot be read into what was left out.
      if (thrown instanceof TypeError) return ev
      throw new MissingArgumentsError()
    }
  }

  #shorten(ev: SessionEvent): SessionEvent | LooseFields {
    switch (ev.type) {
      case 'block.completed': {
        const { text = '' } = this.#building.get(ev.block_id) ?? {}
        return text.length >= LARGE && text === ev.input_text ? without(ev, ['input_text']) : ev
      }
      case 'tool.ready':
        if (!this.#has(ev)) return ev
        return without(ev, isReading(ev.input, ev.input_text) ? ['input_text', 'input'] : ['input_text'])
      case 'tool.client_requested':
        return this.#has(ev) ? without(ev, ['input_text']) : ev
      case 'run.paused':
        if (!ev.pending.some(item => this.#has(item))) return ev
        return {
          ...ev,
          pending: ev.pending.map(item => (this.#has(item) ? without(item, ['input_text']) : item)),
        }
      default:
        return ev
    }
  }

  #has({ call_id, input_text }: { readonly call_id: string; readonly input_text: string }): boolean {
    return input_text.length >= LARGE && this.#calls.get(call_id) === input_text
  }

  #complete(ev: SessionEvent): SessionEvent {
    const { omitted } = ev as OmittedFields
    if (ev.type === 'block.completed' && omitted)
      return restored(ev, omitted, this.#building.get(ev.block_id)?.text)
    if ((ev.type === 'tool.ready' || ev.type === 'tool.client_requested') && omitted)
      return restored(ev, omitted, this.#calls.get(ev.call_id))
    if (ev.type === 'run.paused' && ev.pending.some(item => 'omitted' in item))
      return {
        ...ev,
        pending: ev.pending.map(item =>
          restored(item, (item as OmittedFields).omitted ?? [], this.#calls.get(item.call_id)),
        ),
      }
    return ev
  }

  #note(ev: SessionEvent): void {
    switch (ev.type) {
      case 'block.started':
        if (ev.tool) this.#building.set(ev.block_id, { call_id: ev.tool.call_id, text: '' })
        return
      case 'block.delta':
        if (ev.input_text !== undefined) this.#grow(ev.block_id, ev.input_text)
        return
      case 'block.completed':
        this.#close(ev)
        return
      case 'tool.ready':
        this.#keep(ev.call_id, ev.input_text)
        return
      case 'tool.completed':
      case 'tool.failed':
        this.#calls.delete(ev.call_id)
        return
      case 'run.completed':
      case 'run.failed':
      case 'run.cancelled':
        this.#building.clear()
        this.#calls.clear()
        return
      default:
    }
  }

  #grow(block_id: string, piece: string): void {
    const block = this.#building.get(block_id)
    if (!block) return
    if (block.text.length + piece.length <= this.#room) block.text += piece
    else this.#building.delete(block_id)
  }

  #close({ block_id, input_text }: EventOf<'block.completed'>): void {
    const block = this.#building.get(block_id)
    this.#building.delete(block_id)
    if (block && input_text !== undefined) this.#keep(block.call_id, input_text)
  }

  #keep(call_id: string, text: string): void {
    // Covers values that are not text, sent by foreign clients.
    if (!(text.length >= LARGE)) {
      this.#calls.delete(call_id)
      return
    }
    this.#calls.set(call_id, text)
    let size = 0
    for (const known of this.#calls.values()) size += known.length
    if (size > this.#room) this.#calls.clear()
  }
}

/** True if parsing the text as JSON gives the value that would have been sent. */
function isReading(input: unknown, text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(input)
  } catch {
    return false
  }
}

function without(value: object, omitted: readonly string[]): LooseFields {
  const short: Record<string, unknown> = { ...value, omitted }
  for (const name of omitted) delete short[name]
  return short
}

function restored<T extends object>(value: T, names: unknown, text: string | undefined): T {
  if (!Array.isArray(names)) throw new MissingArgumentsError()
  if (names.length === 0) return value
  if (text === undefined) throw new MissingArgumentsError()
  const { omitted: _, ...whole } = value as Record<string, unknown>
  for (const name of names) {
    if (name !== 'input' && name !== 'input_text') throw new MissingArgumentsError()
    whole[name] = name === 'input' ? JSON.parse(text) : text
  }
  return whole as T
}
