/**
 * From log records to the parts of an answer. Shows the root agent's words, thinking and client
 * calls; what the server runs itself, and what subagents say, stays out. Pure; one state per reader.
 */
import {
  type EventOf,
  isDeepJson,
  type Opaque,
  type Rec,
  readExact,
  sumUsage,
  type Usage,
  type Warning,
} from '@toolwire/core'
import type { AnswerFinish, AnswerPart, Citation, OpenBlock } from './answer-part.ts'
import {
  readProviderQuery,
  readProviderSearch,
  readSearchEnd,
  readSearchStart,
  type SearchState,
} from './served-search.ts'
import { mergeWarnings, refusedCall, unfitCall } from './warning.ts'

export interface AnswerState {
  /** Between begin and end. */
  readonly on: boolean
  readonly block: BlockState | undefined
  /** Ids of the client's calls that this answer has shown. */
  readonly shown: readonly string[]
  readonly warnings: readonly Warning[]
  readonly usage: Usage
  readonly last: EventOf<'turn.completed'> | undefined
  /** The message being written has shown something. */
  readonly spoke: boolean
  /** A message was interrupted after some of it was sent. */
  readonly broken: boolean
  /** Searches that the server runs for the client; undefined where none was asked for. */
  readonly searches: SearchState | undefined
  /** Queries of the provider's own searches, by their ids. */
  readonly queries: Readonly<Record<string, string>>
}

interface BlockState {
  readonly block_id: string
  readonly block: OpenBlock
  /** Characters passed on so far. */
  readonly sent: number
  readonly opened: boolean
  readonly signature: string
}

type AnswerStep = readonly [AnswerState, readonly AnswerPart[]]

const NOTHING: Usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 }
const BROKEN = 'The response was interrupted and started again; repeat the request.'
const TORN = 'The response was interrupted inside a call; repeat the request.'

export const initialAnswer: AnswerState = {
  on: false,
  block: undefined,
  shown: [],
  warnings: [],
  usage: NOTHING,
  last: undefined,
  spoke: false,
  broken: false,
  searches: undefined,
  queries: {},
}

export function stepAnswer(state: AnswerState, rec: Rec): AnswerStep {
  const { ev } = rec
  if (ev.agent_run_id !== undefined) return [state, []]
  if (ev.type === 'run.started')
    return [
      { ...initialAnswer, on: true, searches: readSearchStart(ev.options) },
      [{ type: 'begin', seq: rec.seq, ts: ev.ts, model: ev.model }],
    ]
  return state.on ? stepOpen(state, ev) : [state, []]
}

function stepOpen(state: AnswerState, ev: Rec['ev']): AnswerStep {
  switch (ev.type) {
    case 'block.started':
    case 'block.delta':
    case 'block.completed':
      return stepBlock(state, ev)
    case 'turn.started':
    case 'message.aborted':
    case 'turn.completed':
      return stepTurn(state, ev)
    case 'message.started':
      return [warn(state, ev.warnings ?? []), []]
    case 'tool.ready':
    case 'tool.completed':
    case 'tool.failed':
      return stepCall(state, ev)
    case 'tool.client_requested':
      return [ev.problem === undefined ? state : warn(state, [unfitCall(ev.call_id, ev.problem)]), []]
    case 'run.paused':
      return paused(state, ev)
    case 'run.completed':
      return end(state, { reason: ev.finish })
    case 'run.cancelled':
      return end(state, { reason: 'cancelled' })
    case 'run.failed':
      return fail(state, ev.error)
    default:
      return [state, []]
  }
}

function stepCall(
  state: AnswerState,
  ev: EventOf<'tool.ready' | 'tool.completed' | 'tool.failed'>,
): AnswerStep {
  const next =
    ev.type === 'tool.failed' && state.shown.includes(ev.call_id) ? warn(state, [refusedCall(ev)]) : state
  if (!state.searches) return [next, []]
  const [searches, search] = readSearchEnd(state.searches, ev)
  return [{ ...next, searches }, search ? [{ type: 'search', search }] : []]
}

/** Every turn of an answer is changed in the same way; that is said once. */
const warn = (state: AnswerState, more: readonly Warning[]): AnswerState =>
  more.length === 0 ? state : { ...state, warnings: mergeWarnings(state.warnings, more) }

function stepTurn(
  state: AnswerState,
  ev: EventOf<'turn.started' | 'message.aborted' | 'turn.completed'>,
): AnswerStep {
  switch (ev.type) {
    case 'turn.started':
      // Sent text cannot be withdrawn, and sending it twice would be wrong.
      if (state.broken) return fail(state, { code: 'interrupted', message: BROKEN, retryable: true })
      return [{ ...state, spoke: false }, []]
    case 'message.aborted': {
      const [closed, parts] = closeBlock(state)
      const usage = ev.usage ? sumUsage(state.usage, ev.usage) : state.usage
      return [{ ...closed, usage, broken: state.broken || state.spoke }, parts]
    }
    case 'turn.completed': {
      const counted = { ...state, usage: sumUsage(state.usage, ev.usage), last: ev }
      // A call that was shown and never came to its end must not look like one to run.
      const isTorn = state.block?.opened && state.block.block.kind === 'call'
      return isTorn ? fail(counted, { code: 'interrupted', message: TORN, retryable: true }) : [counted, []]
    }
  }
}

function stepBlock(
  state: AnswerState,
  ev: EventOf<'block.started' | 'block.delta' | 'block.completed'>,
): AnswerStep {
  if (ev.type === 'block.started') return startBlock(state, ev)
  const open = state.block
  if (open?.block_id !== ev.block_id) return [state, []]
  if (open.block.kind === 'provider')
    return ev.type === 'block.delta' ? [state, []] : showWhole(state, open, ev)
  const text = ev.text ?? ev.thinking ?? ev.input_text ?? ''
  if (ev.type === 'block.delta') {
    const signature = open.signature + (ev.signature ?? '')
    return pass({ ...state, block: { ...open, signature } }, text.slice(Math.max(0, open.sent - ev.offset)))
  }
  const [filled, first] = fill(state, open, ev.data)
  const [passed, parts] = pass(filled, text.slice(open.sent))
  const signature = ev.signature ?? open.signature
  const [signed, more] = signature === '' ? ([passed, []] as const) : sign(passed, signature)
  const cited = signed.block?.opened ? (ev.citations ?? []).filter(isCitation) : []
  const [closed, last] = endBlock(signed, ev.opaque)
  const sources = cited.map(citation => ({ type: 'citation', citation }) as const)
  return [closed, [...first, ...parts, ...more, ...sources, ...last]]
}

function startBlock(state: AnswerState, ev: EventOf<'block.started'>): AnswerStep {
  const block = toBlock(ev)
  const [before, parts] = closeBlock(state)
  if (!block) return [before, parts]
  const fresh: AnswerState = {
    ...before,
    block: { block_id: ev.block_id, block, sent: 0, opened: false, signature: '' },
  }
  // A call is news by itself; an empty text or thought is not.
  if (block.kind !== 'call') return [fresh, parts]
  const [opened, more] = openBlock(fresh)
  return [{ ...opened, shown: [...opened.shown, block.call_id] }, [...parts, ...more]]
}

function toBlock(ev: EventOf<'block.started'>): OpenBlock | undefined {
  switch (ev.kind) {
    case 'text':
    case 'thinking':
    case 'refusal':
      return { kind: ev.kind }
    case 'redacted_thinking':
      return { kind: ev.kind, data: null }
    case 'tool_use':
      if (ev.tool?.executor !== 'client') return undefined
      return { kind: 'call', call_id: ev.tool.call_id, name: ev.tool.name }
    case 'provider_tool_use':
    case 'provider_tool_result':
      return { kind: 'provider', data: null }
    case 'file':
      return undefined
  }
}

/** Redacted thinking is its data alone. */
function fill(state: AnswerState, open: BlockState, data: unknown): AnswerStep {
  if (open.block.kind !== 'redacted_thinking' || data === undefined) return [state, []]
  return openBlock({ ...state, block: { ...open, block: { ...open.block, data } } })
}

/** Its kind is known at its end, and its arguments may be separate. */
function showWhole(state: AnswerState, open: BlockState, ev: EventOf<'block.completed'>): AnswerStep {
  const search = readProviderSearch(ev.data, state.queries)
  const found: readonly AnswerPart[] = search ? [{ type: 'search', search }] : []
  if (!isShowable(ev.data)) {
    const [closed, parts] = closeBlock(state)
    return [search ? { ...closed, spoke: true } : closed, [...parts, ...found]]
  }
  // Only these are written piece by piece, and so as they were.
  const read = ev.data.type === 'server_tool_use' ? readExact : JSON.parse
  const input = ev.input_text ? parseBy(read, ev.input_text) : undefined
  const data = input === undefined ? ev.data : { ...ev.data, input }
  const [opened, first] = openBlock({ ...state, block: { ...open, block: { kind: 'provider', data } } })
  const [closed, last] = endBlock(opened, ev.opaque)
  const queries = { ...closed.queries, ...readProviderQuery(data) }
  return [{ ...closed, queries }, [...first, ...last, ...found]]
}

const SHOWABLE = /^(server_tool_use|mcp_tool_use|container_upload|\w+_tool_result)$/

/** Clients of the one wire that shows such blocks fail at kinds that they do not know. */
const isShowable = (data: unknown): data is { readonly type: string } =>
  typeof data === 'object' &&
  data !== null &&
  'type' in data &&
  typeof data.type === 'string' &&
  SHOWABLE.test(data.type)

/** Those kinds of Anthropic that its clients know, and OpenAI's; clients fail at others. */
const isCitation = (given: unknown): given is Citation =>
  typeof given === 'object' &&
  given !== null &&
  'type' in given &&
  typeof given.type === 'string' &&
  /^((char|page|content_block|web_search_result|search_result)_location|url_citation)$/.test(given.type)

function parseBy(read: (text: string) => unknown, text: string): unknown {
  if (isDeepJson(text)) return undefined
  try {
    return read(text)
  } catch {
    return undefined
  }
}

function openBlock(state: AnswerState): AnswerStep {
  const { block } = state
  if (!block || block.opened) return [state, []]
  const opened = { ...state, block: { ...block, opened: true }, spoke: true }
  return [opened, [{ type: 'open', block: block.block }]]
}

/** Passes text on; the first piece opens its block. */
function pass(state: AnswerState, text: string): AnswerStep {
  if (text === '') return [state, []]
  const [opened, parts] = openBlock(state)
  const { block } = opened
  if (!block) return [opened, parts]
  return [
    { ...opened, block: { ...block, sent: block.sent + text.length } },
    [...parts, { type: 'delta', text }],
  ]
}

function sign(state: AnswerState, signature: string): AnswerStep {
  const [opened, parts] = openBlock(state)
  return [opened, [...parts, { type: 'signature', signature }]]
}

/** The block is complete. */
function endBlock(state: AnswerState, opaque: Opaque | undefined): AnswerStep {
  const { block } = state
  if (!block) return [state, []]
  const closed = { ...state, block: undefined }
  if (block.opened) {
    const attached = opaque === undefined ? {} : { opaque }
    return [closed, [{ type: 'close', block: block.block, empty: block.sent === 0, ...attached }]]
  }
  return [closed, block.block.kind === 'thinking' && opaque ? [{ type: 'hidden', opaque }] : []]
}

/** The block ends where it is. */
function closeBlock(state: AnswerState): AnswerStep {
  const { block } = state
  if (!block) return [state, []]
  const closed = { ...state, block: undefined }
  if (!block.opened) return [closed, []]
  return [closed, [{ type: 'close', block: block.block, empty: block.sent === 0, cut: true }]]
}

/** Calls that wait from before, and that this answer has not shown yet, are shown again. */
function paused(state: AnswerState, ev: EventOf<'run.paused'>): AnswerStep {
  const [closed, parts] = closeBlock(state)
  const asked = ev.pending.filter(item => item.kind === 'client_tool')
  const again = asked
    .filter(item => !closed.shown.includes(item.call_id))
    .flatMap((item): readonly AnswerPart[] => {
      const block = { kind: 'call', call_id: item.call_id, name: item.name } as const
      const text = item.input_text
      return [
        { type: 'open', block },
        ...(text === '' ? [] : [{ type: 'delta', text } as const]),
        { type: 'close', block, empty: text === '' },
      ]
    })
  const waiting = ev.pending.filter(item => item.kind !== 'client_tool')
  const [ended, last] = end(closed, { reason: asked.length > 0 ? 'tool_calls' : 'stop', waiting })
  return [ended, [...parts, ...again, ...last]]
}

function end(
  state: AnswerState,
  how: Pick<AnswerFinish, 'reason'> & Partial<Pick<AnswerFinish, 'waiting'>>,
): AnswerStep {
  const [closed, parts] = closeBlock(state)
  const { usage, last, warnings } = closed
  const finish: AnswerPart = {
    type: 'finish',
    reason: how.reason,
    stop_reason: last?.stop_reason,
    stop_details: last?.stop_details,
    usage,
    waiting: how.waiting ?? [],
    warnings,
  }
  return [{ ...closed, on: false }, [...parts, finish]]
}

function fail(state: AnswerState, error: EventOf<'run.failed'>['error']): AnswerStep {
  const [closed, parts] = closeBlock(state)
  return [{ ...closed, on: false }, [...parts, { type: 'error', error, usage: closed.usage }]]
}
