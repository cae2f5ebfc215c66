/** One model message: its blocks while it is written, its place in the history when it ends. */
import type { BlockKind, EventOf, Usage } from '../event.ts'
import { flushCalls, withoutJoined } from './flush-calls.ts'
import type { AssistantPart } from './history.ts'
import type { AgentState, CallState, OpenTurn, RunState, UsageRow } from './state.ts'

type TurnEvent = EventOf<
  | 'turn.started'
  | 'message.started'
  | 'message.aborted'
  | 'turn.completed'
  | 'block.started'
  | 'block.completed'
>

export function evolveTurn(state: AgentState, ev: TurnEvent): Partial<AgentState> {
  switch (ev.type) {
    case 'turn.started':
      return {
        messages: flushCalls(state),
        queue: withoutJoined(state.queue),
        calls: [],
        // Cleared until this turn ends: an aborted turn must lead to another model call, never to "finished".
        run: state.run && { ...state.run, last: undefined },
        turn: { turn: ev.turn, attempt: ev.attempt, provider: ev.provider, model: ev.model, parts: [] },
      }
    case 'message.started':
      return state.turn ? { turn: { ...state.turn, message_id: ev.message_id } } : {}
    case 'message.aborted':
      return {
        turn: undefined,
        run: spend(state.run, state.turn, ev),
        calls: [],
        aborted_calls: [...state.aborted_calls, ...state.calls.map(call => call.call_id)],
      }
    case 'turn.completed':
      return completed(state, ev)
    case 'block.started':
      return blockStarted(state, ev)
    case 'block.completed':
      return blockCompleted(state, ev)
  }
}

function completed(state: AgentState, ev: EventOf<'turn.completed'>): Partial<AgentState> {
  const { turn, run } = state
  if (!turn) return {}
  const content = turn.parts.map(({ block_id: _, ...part }) => part)
  const message = {
    role: 'assistant',
    message_id: ev.message_id,
    provider: turn.provider,
    model: turn.model,
    content,
  } as const
  return {
    turn: undefined,
    turns: state.turns + 1,
    context_tokens: contextOf(content, ev.usage),
    ...(state.compaction?.is_news ? { compaction: { ...state.compaction, is_news: false } } : {}),
    messages: content.length > 0 ? [...state.messages, message] : state.messages,
    run: run && {
      ...run,
      ...spend(run, turn, ev),
      num_turns: run.num_turns + 1,
      last: { finish: ev.finish, stop_reason: ev.stop_reason },
    },
  }
}

/** A provider that ran server-side tools read the history several times and reports the sum. */
function contextOf(content: readonly AssistantPart[], usage: Usage): number | undefined {
  const { input, output, cache_read, cache_write } = usage
  const tokens = input + output + cache_read + cache_write
  return tokens === 0 || content.some(part => part.type === 'provider') ? undefined : tokens
}

type Spending = Pick<EventOf<'message.aborted'>, 'usage' | 'cost_usd'> & {
  readonly model?: string | undefined
}

/** Adds one request to its model's row, also an interrupted one. A request without usage changes nothing. */
export function spend(
  run: RunState | undefined,
  turn: OpenTurn | undefined,
  ev: Spending,
): RunState | undefined {
  const { usage, cost_usd } = ev
  if (!run || !turn || !usage) return run
  const model = ev.model ?? turn.model
  const before = run.usage.find(row => row.model === model)
  const known = cost_usd !== undefined && (!before || before.cost_usd !== undefined)
  const row: UsageRow = {
    model,
    usage: before ? sumUsage(before.usage, usage) : usage,
    ...(known ? { cost_usd: (before?.cost_usd ?? 0) + cost_usd } : {}),
  }
  return {
    ...run,
    usage: before ? run.usage.map(r => (r === before ? row : r)) : [...run.usage, row],
    spent_usd: run.spent_usd + (cost_usd ?? 0),
  }
}

/** Requests add up; the numbers of one request never do. */
export function sumUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cache_read: a.cache_read + b.cache_read,
    cache_write: a.cache_write + b.cache_write,
    ...sumLong('cache_write_1h', a, b),
    ...sumLong('cache_write_12h', a, b),
    reasoning: a.reasoning + b.reasoning,
    ...(a.is_estimate || b.is_estimate ? { is_estimate: true } : {}),
  }
}

type LongWrite = 'cache_write_1h' | 'cache_write_12h'

const sumLong = (name: LongWrite, a: Usage, b: Usage): Pick<Usage, LongWrite> =>
  a[name] === undefined && b[name] === undefined ? {} : { [name]: (a[name] ?? 0) + (b[name] ?? 0) }

function blockStarted(state: AgentState, ev: EventOf<'block.started'>): Partial<AgentState> {
  const run = state.run && { ...state.run, blocks: Math.max(state.run.blocks, ev.run_index + 1) }
  const turn = state.turn && { ...state.turn, open: { block_id: ev.block_id, kind: ev.kind } }
  if (ev.kind !== 'tool_use' || !ev.tool) return { run, turn }
  const call: CallState = {
    call_id: ev.tool.call_id,
    name: ev.tool.name,
    message_id: ev.message_id,
    block_id: ev.block_id,
    tool_type: ev.tool.tool_type,
    executor: ev.tool.executor,
    input_text: '',
    ready: false,
  }
  return { run, turn, calls: [...state.calls, call] }
}

function blockCompleted(state: AgentState, ev: EventOf<'block.completed'>): Partial<AgentState> {
  if (!state.turn) return {}
  const at = state.calls.findIndex(one => one.block_id === ev.block_id)
  const call = state.calls[at]
  const kind = state.turn.open?.block_id === ev.block_id ? state.turn.open.kind : 'text'
  const part = call
    ? ({ type: 'tool_use', call_id: call.call_id, name: call.name, input_text: ev.input_text ?? '' } as const)
    : toPart(ev, kind)
  const turn = {
    ...state.turn,
    parts: part
      ? [...state.turn.parts, { ...part, block_id: ev.block_id, ...opaqueOf(ev) }]
      : state.turn.parts,
  }
  if (!call) return { turn }
  return { turn, calls: state.calls.with(at, { ...call, input_text: ev.input_text ?? '' }) }
}

const opaqueOf = ({ opaque }: EventOf<'block.completed'>): Pick<AssistantPart, 'opaque'> =>
  opaque === undefined ? {} : { opaque }

/** The block as the history keeps it; undefined for an empty text, which providers refuse. */
function toPart(ev: EventOf<'block.completed'>, kind: BlockKind): AssistantPart | undefined {
  switch (kind) {
    case 'thinking':
      return { type: 'thinking', thinking: ev.thinking ?? '', signature: ev.signature }
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: ev.data }
    case 'refusal':
      return ev.text ? { type: 'refusal', text: ev.text } : undefined
    case 'text':
      return ev.text ? { type: 'text', text: ev.text, citations: ev.citations } : undefined
    case 'tool_use':
      return undefined
    case 'provider_tool_use':
    case 'provider_tool_result':
    case 'file':
      return { type: 'provider', kind, data: ev.data, input_text: ev.input_text }
  }
}
