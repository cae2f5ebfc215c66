/** Random sessions: logs as runs write them, folded by the core, and histories as strangers send them. */
import {
  evolve,
  flushCalls,
  type HistoryMessage,
  initial,
  modelHistory,
  type Rec,
  type SessionEvent,
} from '@toolwire/core'
import fc from 'fast-check'

const words = fc.oneof(
  fc.constantFrom('', ' ', '\n', 'hello', '沈阳 ☀️', 'a "quoted" one'),
  fc.string({ maxLength: 12 }),
)
const callId = fc.constantFrom(
  'toolu_1',
  'toolu_2',
  'call_0',
  'functions.Bash:0',
  'functions_Bash_0',
  '',
  'x'.repeat(90),
)
const toolName = fc.constantFrom(
  'Read',
  'get_weather',
  'mcp.server/tool x',
  'mcp_server_tool_x',
  '天气',
  'n'.repeat(140),
)
const inputText = fc.constantFrom('{"a":1}', '{"b":1.0,"1":2}', '{}', '', '{"a":', '[1]', 'null', '"text"')
const provider = fc.constantFrom('anthropic', 'openai', 'demo', 'responses')
const opaque = fc.constantFrom(
  undefined,
  reasoning('responses', 'm', 'enc_1'),
  reasoning('responses', 'm', undefined),
  reasoning('responses', 'other', 'enc_2'),
  reasoning('elsewhere', 'm', 'enc_3'),
)

function reasoning(provider: string, model: string, encrypted_content: string | undefined) {
  return { provider, model, data: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content } }
}

const media = fc.constantFrom(
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } } as const,
  { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } } as const,
  {
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' },
    title: 'a.pdf',
  } as const,
  { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } } as const,
  { type: 'audio', source: { type: 'base64', media_type: 'audio/wav', data: 'AA==' } } as const,
)
const content = fc.array(
  fc.oneof(
    words.map(text => ({ type: 'text' as const, text })),
    media,
  ),
  { maxLength: 3 },
)

const block = fc.oneof(
  words.map(text => ({ kind: 'text' as const, text })),
  words.map(text => ({ kind: 'refusal' as const, text })),
  fc.record({
    kind: fc.constant('thinking' as const),
    thinking: words,
    signature: fc.option(fc.constant('c2ln'), { nil: undefined }),
    opaque,
  }),
  fc.record({
    kind: fc.constant('redacted_thinking' as const),
    data: fc.constantFrom<unknown>({ type: 'redacted_thinking', data: 'x' }, null, 'junk'),
  }),
  fc.record({
    kind: fc.constant('provider_tool_use' as const),
    data: fc.constantFrom<unknown>(
      { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} },
      {},
      7,
    ),
    input_text: inputText,
  }),
  fc.record({
    kind: fc.constant('tool_use' as const),
    call_id: callId,
    name: toolName,
    input_text: inputText,
  }),
)
type Block = typeof block extends fc.Arbitrary<infer B> ? B : never

const outcome = fc.constantFrom('done', 'failed', 'open' as const)
const message = fc.record({
  provider,
  blocks: fc.array(block, { maxLength: 5 }),
  outcome,
  ends: fc.constantFrom('completed', 'completed', 'completed', 'aborted'),
  output: words,
})
const conversation = fc.record({
  role: fc.constantFrom('user', 'user', 'system' as const),
  content,
  messages: fc.array(message, { maxLength: 4 }),
  end: fc.constantFrom('run.completed', 'run.cancelled', 'run.failed', undefined),
})
type Conversation = typeof conversation extends fc.Arbitrary<infer C> ? C : never

const at = { ts: '2026-01-01T00:00:00.000Z' }
const totals = { usage_by_model: [], duration_ms: 0, num_turns: 0 }
const usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 }

/** The history of a session whose log a runner could have written. */
export const foldedHistory: fc.Arbitrary<readonly HistoryMessage[]> = fc
  .array(conversation, { minLength: 1, maxLength: 4 })
  .map(conversations => {
    const events = conversations.flatMap(toEvents)
    const records = events.map((ev, place): Rec => ({ seq: place + 1, epoch: 1, ev }))
    return flushCalls(records.reduce(evolve, initial()))
  })

/** The same, compacted at any place. */
export const compactedHistory: fc.Arbitrary<readonly HistoryMessage[]> = fc
  .tuple(foldedHistory, fc.nat(14), fc.constantFrom('In short.', undefined), fc.array(callId))
  .map(([messages, replaced, summary, shortened]) => {
    const told = summary === undefined ? { replaced: 0 } : { replaced, summary }
    return modelHistory({ ...initial(), messages, compaction: { ...told, shortened, is_news: false } })
  })

function toEvents(conversation: Conversation, number: number): readonly SessionEvent[] {
  const run = { ...at, run_id: `run_${number}` }
  return [
    {
      type: 'input.message',
      ...run,
      message_id: `in_${number}`,
      role: conversation.role,
      content: conversation.content,
    },
    {
      type: 'run.started',
      ...run,
      conversation_id: run.run_id,
      trigger: 'message',
      client_tools: [],
      model: 'm',
    },
    ...conversation.messages.flatMap((entry, turn) =>
      messageEvents(entry, run, `msg_${number}_${turn}`, turn),
    ),
    ...endEvents(conversation.end, run),
  ] as readonly SessionEvent[]
}

function endEvents(end: Conversation['end'], run: typeof at & { run_id: string }): readonly SessionEvent[] {
  const error = { code: 'internal', message: 'x', retryable: false }
  if (end === 'run.completed')
    return [{ type: end, ...run, status: 'success', finish: 'stop', result_text: '', ...totals }]
  if (end === 'run.cancelled') return [{ type: end, ...run, reason: 'x', ...totals }]
  return end === 'run.failed' ? [{ type: 'run.failed', ...run, error, ...totals }] : []
}

function messageEvents(
  entry: Conversation['messages'][number],
  run: typeof at & { run_id: string },
  message_id: string,
  turn: number,
): readonly SessionEvent[] {
  const known = new Set<string>()
  // Within one message a reader makes call ids unique.
  const blocks = entry.blocks.filter(
    b => b.kind !== 'tool_use' || (!known.has(b.call_id) && known.add(b.call_id)),
  )
  const said = blocks.flatMap((b, place) => blockEvents(b, run, message_id, place))
  const opening = [
    { type: 'turn.started', ...run, turn, provider: entry.provider, model: 'm', attempt: 1 },
    { type: 'message.started', ...run, message_id, provider_message_id: 'p', role: 'assistant' },
  ] as const
  if (entry.ends === 'aborted')
    return [...opening, ...said, { type: 'message.aborted', ...run, message_id, reason: 'x' }]
  const done: SessionEvent = {
    type: 'turn.completed',
    ...run,
    message_id,
    stop_reason: 'x',
    finish: 'stop',
    usage,
    has_next: false,
  }
  return [...opening, ...said, done, ...[...known].flatMap(call_id => outcomeEvents(call_id, entry, run))]
}

function blockEvents(
  b: Block,
  run: typeof at & { run_id: string },
  message_id: string,
  place: number,
): readonly SessionEvent[] {
  const { kind, ...payload } = b
  const block_id = `${message_id}.${place}`
  const tool =
    b.kind === 'tool_use'
      ? { tool: { call_id: b.call_id, name: b.name, tool_type: 'function', executor: 'server' } as const }
      : {}
  return [
    { type: 'block.started', ...run, message_id, block_id, index: place, run_index: place, kind, ...tool },
    { type: 'block.completed', ...run, block_id, ...payload },
  ]
}

function outcomeEvents(
  call_id: string,
  entry: Conversation['messages'][number],
  run: typeof at & { run_id: string },
): readonly SessionEvent[] {
  if (entry.outcome === 'open') return []
  if (entry.outcome === 'failed') {
    const error = { code: 'x', layer: 'execution', message: 'x', retryable: false } as const
    return [{ type: 'tool.failed', ...run, call_id, error, output_text: entry.output, duration_ms: 1 }]
  }
  return [
    {
      type: 'tool.completed',
      ...run,
      call_id,
      content: [],
      output_text: entry.output,
      is_error: false,
      duration_ms: 1,
    },
  ]
}

const result = fc.record({
  type: fc.constant('tool_result' as const),
  call_id: callId,
  name: toolName,
  output_text: words,
  content,
  is_error: fc.boolean(),
})
const assistantPart = fc.oneof(
  words.map(text => ({ type: 'text' as const, text })),
  fc.record({
    type: fc.constant('thinking' as const),
    thinking: words,
    signature: fc.constantFrom('c2ln', ''),
    opaque,
  }),
  fc.record({
    type: fc.constant('tool_use' as const),
    call_id: callId,
    name: toolName,
    input_text: inputText,
  }),
  fc.constant({ type: 'redacted_thinking' as const, data: { type: 'redacted_thinking', data: 'x' } }),
)

/** Anything that fits the type, however little sense it makes: orphans, gaps, repeated ids. */
export const wildHistory: fc.Arbitrary<readonly HistoryMessage[]> = fc.array(
  fc.oneof(
    content.map(parts => ({ role: 'user' as const, content: parts })),
    content.map(parts => ({ role: 'system' as const, content: parts })),
    fc.array(result, { maxLength: 4 }).map(results => ({ role: 'tool' as const, results })),
    fc.record({
      role: fc.constant('assistant' as const),
      message_id: fc.constant('m'),
      provider,
      model: fc.constant('m'),
      content: fc.array(assistantPart, { maxLength: 5 }),
    }),
  ),
  { maxLength: 12 },
)
