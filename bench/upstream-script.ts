/** The frames of one answer, made once per model name and then replayed as bytes. */
import { type Knobs, parseKnobs } from './knobs.ts'

export type Dialect = 'messages' | 'chat'

export interface Piece {
  readonly bytes: Buffer
  readonly isDelta: boolean
  /** Offset of the time stamp; -1 without one. */
  readonly stamp: number
  /** Silence after it. */
  readonly pauseMs: number
}

/** Microseconds of the machine's monotonic clock, the same in every process. */
export const nowMicros = (): number => Number(process.hrtime.bigint() / 1000n)

const STAMP = '@0000000000000000@'
const scripts = new Map<string, readonly Piece[]>()

export function script(dialect: Dialect, model: string, round: number): readonly Piece[] {
  const key = `${dialect} ${model} ${round}`
  const known = scripts.get(key)
  if (known) return known
  const knobs = parseKnobs(model)
  const made = merge([
    ...(dialect === 'messages' ? messages(model, knobs, round) : chat(model, knobs, round)),
  ])
  scripts.set(key, made)
  return made
}

/** A copy that says when it was written. */
export function stampAt(bytes: Buffer, place: number): Buffer {
  const copy = Buffer.from(bytes)
  copy.write(String(nowMicros()).padStart(16, '0'), place, 'latin1')
  return copy
}

interface Raw {
  readonly text: string
  readonly isDelta?: boolean
  readonly pauseMs?: number
}

/** Frames without a delta travel with the next one: pacing counts deltas alone. */
function merge(frames: readonly Raw[]): readonly Piece[] {
  const pieces: Piece[] = []
  let held = ''
  for (const { text, isDelta = false, pauseMs = 0 } of frames) {
    held += text
    if (!isDelta && pauseMs === 0) continue
    pieces.push(toPiece(held, isDelta, pauseMs))
    held = ''
  }
  if (held !== '') pieces.push(toPiece(held, false, 0))
  return pieces
}

function toPiece(text: string, isDelta: boolean, pauseMs: number): Piece {
  const place = text.indexOf(STAMP)
  return { bytes: Buffer.from(text), isDelta, pauseMs, stamp: place < 0 ? -1 : place + 1 }
}

/** Starts with `~`, so that a reader can count deltas whatever frames they arrive in. */
function words({ b, s }: Knobs, index: number): string {
  const head = `~${s ? STAMP : ''}${index} `
  return head.padEnd(b, 'lorem ipsum dolor ')
}

function callInput({ t, m }: Knobs, round: number, index: number): string {
  const head = `{"n":${round * 100 + index},"ms":${m},"data":"`
  return `${head.padEnd(Math.max(head.length, t - 2), 'line of code; ')}"}`
}

function* pieces(text: string, size: number): Generator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

function* messages(model: string, knobs: Knobs, round: number): Generator<Raw> {
  const named = (type: string, more: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
  const delta = (index: number, inner: object): Raw => ({
    text: named('content_block_delta', { index, delta: inner }),
    isDelta: true,
  })
  const usage = { input_tokens: 25, output_tokens: knobs.d + 1 }
  const message = { id: `msg_bench${round}`, type: 'message', role: 'assistant', model, content: [] }
  yield {
    text: named('message_start', { message: { ...message, stop_reason: null, stop_sequence: null, usage } }),
  }
  yield {
    text: named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  }
  for (let n = 0; n < knobs.d; n++) yield delta(0, { type: 'text_delta', text: words(knobs, n) })
  yield { text: named('content_block_stop', { index: 0 }) }
  const isLast = round >= knobs.r
  for (let n = 0; n < (isLast ? 0 : knobs.p); n++) {
    const index = n + 1
    const call = { type: 'tool_use', id: `toolu_r${round}n${n}`, name: 'echo', input: {} }
    yield { text: named('content_block_start', { index, content_block: call }) }
    for (const partial_json of pieces(callInput(knobs, round, n), knobs.u))
      yield delta(index, { type: 'input_json_delta', partial_json })
    yield { text: named('content_block_stop', { index }), pauseMs: knobs.q }
  }
  const stop_reason = isLast ? 'end_turn' : 'tool_use'
  yield { text: named('message_delta', { delta: { stop_reason, stop_sequence: null }, usage }) }
  yield { text: named('message_stop', {}) }
}

function* chat(model: string, knobs: Knobs, round: number): Generator<Raw> {
  const base = {
    id: `chatcmpl-bench${round}`,
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model,
  }
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  yield { text: chunk({ role: 'assistant', content: '' }) }
  for (let n = 0; n < knobs.d; n++) yield { text: chunk({ content: words(knobs, n) }), isDelta: true }
  const isLast = round >= knobs.r
  for (let index = 0; index < (isLast ? 0 : knobs.p); index++) {
    const call = { index, id: `call_r${round}n${index}`, type: 'function' }
    yield { text: chunk({ tool_calls: [{ ...call, function: { name: 'echo', arguments: '' } }] }) }
    for (const part of pieces(callInput(knobs, round, index), knobs.u))
      yield { text: chunk({ tool_calls: [{ index, function: { arguments: part } }] }), isDelta: true }
    yield { text: ': \n\n', pauseMs: knobs.q }
  }
  yield { text: chunk({}, isLast ? 'stop' : 'tool_calls') }
  const usage = { prompt_tokens: 25, completion_tokens: knobs.d + 1, total_tokens: knobs.d + 26 }
  yield { text: `data: ${JSON.stringify({ ...base, choices: [], usage })}\n\n` }
  yield { text: 'data: [DONE]\n\n' }
}
