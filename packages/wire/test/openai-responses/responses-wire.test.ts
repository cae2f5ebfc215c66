/** Events of single cases, and of any log: what is shown, in which order, how it ends. */
import { expect, test } from 'vitest'
import { type Frame, foldResponse, readItemId, readResponseId, responsesWire } from '../../src/index.ts'
import { answersOf, gatewayLog, SEEDS } from '../gateway/answers.ts'
import { asked, type Body, block, ended, records, START, totals } from '../gateway/log.ts'

// biome-ignore lint/suspicious/noExplicitAny: events of any shape are compared field by field
type Event = any
const parse = (frames: readonly Frame[]): readonly Event[] =>
  frames.map(({ data }) => (data === '[DONE]' ? { type: data } : JSON.parse(data)))
const events = (bodies: readonly Body[], options = {}): readonly Event[] =>
  parse(records(bodies).flatMap(responsesWire.open({ session_id: 's', options })))
const types = (bodies: readonly Body[]): readonly string[] =>
  events(bodies).map(event => event.type.replace('response.', ''))

test('text has its events in order, and its item again when it is done and at the end', () => {
  const all = events([...START, ...block(0, 'text', { text: 'hi' }), ...ended('stop')], { model: 'alias' })
  const item = {
    id: 'msg_s_1_0',
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'hi', annotations: [], logprobs: [] }],
  }
  expect(all.map(event => event.type.replace('response.', ''))).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'completed',
    '[DONE]',
  ])
  expect(all[7].item).toEqual(item)
  expect(all[8].response).toMatchObject({
    id: 'resp_s_1',
    model: 'alias',
    status: 'completed',
    output: [item],
    created_at: 1767225600,
    completed_at: 1767225600,
  })
  const numbers = all.slice(0, -1).map(event => event.sequence_number)
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
})

test('thinking is a summary, and a call without arguments has the arguments {}', () => {
  const tool = { call_id: 'c', name: 'f' }
  const pending = [{ kind: 'client_tool', id: 'c', call_id: 'c', name: 'f', input_text: '' }]
  const log = [
    ...START,
    ...block(0, 'thinking', { thinking: 'hm', signature: 'x' }),
    ...block(1, 'tool_use', { input_text: '' }, tool),
    ...asked(...pending),
  ]
  expect(types(log).slice(2, -2)).toEqual([
    'output_item.added',
    'reasoning_summary_part.added',
    'reasoning_summary_text.delta',
    'reasoning_summary_text.done',
    'reasoning_summary_part.done',
    'output_item.done',
    'output_item.added',
    'function_call_arguments.delta',
    'function_call_arguments.done',
    'output_item.done',
  ])
  expect(events(log).at(-2).response).toMatchObject({
    status: 'completed',
    output: [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', status: 'completed' },
    ],
  })
})

test.each([
  ['length', 'incomplete', { reason: 'max_output_tokens' }],
  ['content_filter', 'incomplete', { reason: 'content_filter' }],
  ['refusal', 'completed', null],
] as const)('a run that ends with %s is %s', (finish, status, incomplete_details) => {
  const all = events([...START, ...ended(finish)])
  expect(all.at(-2)).toMatchObject({ type: `response.${status}`, response: { status, incomplete_details } })
})

test('a failure is an error event and the failed response, with the item that was open', () => {
  const error = { code: 'model_overloaded', message: 'No.', retryable: true }
  const all = events([
    ...START,
    ...block(0, 'text', { text: 'half' }).slice(0, 1),
    { type: 'block.delta', block_id: 'm.0', offset: 0, text: 'ha' },
    { type: 'run.failed', error, ...totals },
  ])
  expect(all.at(-4)).toMatchObject({ type: 'response.output_item.done', item: { status: 'incomplete' } })
  expect(all.at(-3)).toMatchObject({
    type: 'error',
    code: 'server_is_overloaded',
    message: 'No.',
    error: { code: 'server_is_overloaded', type: 'server_error', message: 'No.', param: null },
  })
  expect(all.at(-2)).toMatchObject({
    type: 'response.failed',
    response: {
      status: 'failed',
      error: { code: 'server_is_overloaded', type: 'server_error', message: 'No.', param: null },
    },
  })
})

test('the item of an aborted message ends with what follows, because the run may begin the message again', () => {
  const aborted: readonly Body[] = [
    ...START,
    ...block(0, 'text', { text: 'half' }).slice(0, 1),
    { type: 'block.delta', block_id: 'm.0', offset: 0, text: 'ha' },
    { type: 'message.aborted', message_id: 'm', reason: 'interrupted' },
  ]
  expect(types(aborted).at(-1)).toBe('output_text.delta')
  const again = { type: 'turn.started', turn: 0, provider: 'demo', model: 'upstream', attempt: 2 } as const
  expect(types([...aborted, again]).slice(-4)).toEqual(['output_item.done', 'error', 'failed', '[DONE]'])
  const cancelled = events([...aborted, { type: 'run.cancelled', reason: 'x', ...totals }])
  expect(cancelled.at(-3)).toMatchObject({
    type: 'response.output_item.done',
    item: { status: 'incomplete' },
  })
})

test('a response that waits is complete: approvals are pending, and calls of the client its last items', () => {
  const tool = { call_id: 'c', name: 'read' }
  const call = { kind: 'client_tool', id: 'c', ...tool, input_text: '{}' }
  const approval = { kind: 'approval', id: 'a', call_id: 'd', name: 'Bash', input_text: '{}' }
  const end = (...pending: readonly object[]) => {
    const log = [...START, ...block(0, 'tool_use', { input_text: '{}' }, tool), ...asked(...pending)]
    return events(log).at(-2)
  }
  const waiting = end(call)
  expect(waiting).toMatchObject({ type: 'response.completed', response: { status: 'completed' } })
  expect(waiting.response.output).toMatchObject([{ type: 'function_call', call_id: 'c' }])
  expect(waiting.response).not.toHaveProperty('pending')
  expect(end(call, approval)).toMatchObject({
    type: 'response.completed',
    response: { status: 'completed', pending: [approval] },
  })
})

test('ids name their session and response', () => {
  expect(readResponseId('resp_a_b_12')).toEqual({ session_id: 'a_b', seq: 12 })
  expect(readItemId('msg_a_b_12_3')).toEqual({ session_id: 'a_b', seq: 12 })
  for (const id of ['resp_', 'resp_a', 'msg_a_1', '']) expect(readResponseId(id)).toBeUndefined()
})

test('any log gives the same text, thinking and calls, in an order that the strictest client takes', () => {
  let calls = 0
  for (const seed of SEEDS)
    for (const answer of answersOf(gatewayLog(seed), responsesWire, {})) {
      const all = parse(answer.frames)
      expectOrdered(all)
      const { output, status } = foldResponse(answer.frames)
      if (answer.fails) {
        expect(status).toBe('failed')
        continue
      }
      // biome-ignore lint/suspicious/noExplicitAny: items of any shape
      const items = output as readonly any[]
      const texts = items.flatMap(item => (item.type === 'message' ? item.content : []))
      expect(texts.map(part => part.text ?? part.refusal).join('')).toBe(answer.text)
      const found = items.filter(item => item.type === 'function_call')
      expect(found.map(item => [item.call_id, item.name, item.arguments])).toEqual(
        answer.calls.map(call => [call.id, call.name, call.input_text || '{}']),
      )
      calls += found.length
    }
  expect(calls).toBeGreaterThan(20)
})

/** The rules of section 1 of the API's clients: each item is announced, dense, closed before the next, and listed. */
function expectOrdered(all: readonly Event[]): void {
  expect(all[0]?.type).toBe('response.created')
  expect(all.at(-1)?.type).toBe('[DONE]')
  let open: string | undefined
  const done: string[] = []
  for (const event of all) {
    if (event.type === 'response.output_item.added') {
      expect(open).toBeUndefined()
      expect(event.output_index).toBe(done.length)
      open = event.item.id
    } else if (event.type === 'response.output_item.done') {
      expect(event.item.id).toBe(open)
      open = undefined
      done.push(event.item.id)
    } else if (event.item_id !== undefined) {
      expect(event.item_id).toBe(open)
      expect(event.output_index).toBe(done.length)
    }
  }
  expect(open).toBeUndefined()
  const last = all.at(-2)
  expect(last.response.output.map((item: Event) => item.id)).toEqual(done)
}

test('after a number only what follows it is sent, byte for byte', () => {
  for (const seed of SEEDS.slice(0, 10))
    for (const { frames, run_id } of answersOf(gatewayLog(seed), responsesWire, {})) {
      const numbered = frames.filter(frame => frame.data !== '[DONE]')
      for (const [n, frame] of numbered.entries()) {
        const { sequence_number } = JSON.parse(frame.data)
        const rest = answersOf(gatewayLog(seed), responsesWire, { after: sequence_number })
        const same = rest.find(answer => answer.run_id === run_id)
        if (n % 7 === 0) expect(same?.frames).toEqual(frames.slice(frames.indexOf(frame) + 1))
      }
    }
}, 60_000)

const seal = (text: string): string => `sealed:${text}`

test('signed and hidden thinking is sealed with its provider, at the end of its item alone', () => {
  const opaque = { provider: 'openai', model: 'm', data: { type: 'reasoning', encrypted_content: 'x' } }
  const log = [
    ...START,
    ...block(0, 'thinking', { thinking: 'hm', signature: 'sig' }),
    ...block(1, 'redacted_thinking', { data: 'blob' }),
    ...block(2, 'thinking', { thinking: '', opaque }),
    ...ended('stop'),
  ]
  const all = events(log, { seal })
  const added = all.filter(event => event.type === 'response.output_item.added').slice(0, 2)
  for (const { item } of added) expect(item).not.toHaveProperty('encrypted_content')
  const { output } = all.at(-2).response
  expect(output.map((item: Event) => item.summary.length)).toEqual([1, 0, 0])
  const sealed = output.map((item: Event) => JSON.parse(item.encrypted_content.slice('sealed:'.length)))
  expect(sealed).toEqual([
    {
      kind: 'thinking',
      provider: 'demo',
      model: 'upstream',
      part: { type: 'thinking', thinking: 'hm', signature: 'sig' },
    },
    {
      kind: 'thinking',
      provider: 'demo',
      model: 'upstream',
      part: { type: 'redacted_thinking', data: 'blob' },
    },
    {
      kind: 'thinking',
      provider: 'demo',
      model: 'upstream',
      part: { type: 'thinking', thinking: '', opaque },
    },
  ])
  expect(events(log).at(-2).response.output[0]).not.toHaveProperty('encrypted_content')
})

test('a phase is passed on where the provider set one', () => {
  const opaque = { provider: 'openai', data: { phase: 'commentary' } }
  const log = [
    ...START,
    ...block(0, 'text', { text: 'a', opaque }),
    ...block(1, 'text', { text: 'b' }),
    ...ended('stop'),
  ]
  const { output } = events(log).at(-2).response
  expect(output[0].phase).toBe('commentary')
  expect(output[1]).not.toHaveProperty('phase')
})

const withRecord = (record: object, more: object = {}): readonly Body[] => [
  {
    ...START[0],
    type: 'run.started',
    options: { ...more, responses: { echo: {}, forms: {}, store: true, warnings: [], ...record } },
  },
  ...START.slice(1),
]

test('freeform input is unescaped while it is written, wherever it is split', () => {
  const input = 'a "b"\n\\ \u00e9 😀 </end>'
  const written = JSON.stringify({ input }).replace('é', '\\u00e9')
  const start = withRecord({ forms: { patch: { type: 'custom', name: 'patch' } } })
  const tool = { call_id: 'c', name: 'patch' }
  const pending = [{ kind: 'client_tool', id: 'c', call_id: 'c', name: 'patch', input_text: written }]
  for (let size = 1; size <= written.length; size++) {
    const [opened, closed] = block(0, 'tool_use', { input_text: written }, tool)
    const deltas: Body[] = []
    for (let offset = 0; offset < written.length; offset += size) {
      const input_text = written.slice(offset, offset + size)
      deltas.push({ type: 'block.delta', block_id: 'm.0', offset, input_text })
    }
    const log = [
      ...start,
      ...(opened ? [opened] : []),
      ...deltas,
      ...(closed ? [closed] : []),
      ...asked(...pending),
    ]
    const all = events(log)
    const parts = all.filter(event => event.type === 'response.custom_tool_call_input.delta')
    expect(parts.map(event => event.delta).join('')).toBe(input)
    if (size === 1) expect(parts.length).toBeGreaterThan(10)
    expect(all.at(-2).response.output).toMatchObject([
      { type: 'custom_tool_call', input, status: 'completed' },
    ])
  }
})

test.each([
  ['local_shell', { command: ['ls', '-l'] }, { action: { type: 'exec', command: ['ls', '-l'], env: {} } }],
  [
    'shell',
    { commands: ['ls'] },
    { action: { commands: ['ls'], timeout_ms: null, max_output_length: null } },
  ],
  ['apply_patch', { type: 'delete_file', path: 'a' }, { operation: { type: 'delete_file', path: 'a' } }],
  [
    'apply_patch',
    { type: 'create_file', path: 'a', diff: '+x' },
    { operation: { type: 'create_file', path: 'a', diff: '+x' } },
  ],
  ['shell', 'nonsense', { action: { commands: [] } }],
] as const)('a call of the tool %s with %j has its own item', (type, input, expected) => {
  const start = withRecord({ forms: { [type]: { type, name: type } } })
  const input_text = typeof input === 'string' ? input : JSON.stringify(input)
  const pending = [{ kind: 'client_tool', id: 'c', call_id: 'c', name: type, input_text }]
  const all = events([
    ...start,
    ...block(0, 'tool_use', { input_text }, { call_id: 'c', name: type }),
    ...asked(...pending),
  ])
  expect(all.at(-2).response.output).toMatchObject([{ type: `${type}_call`, call_id: 'c', ...expected }])
})

test('a search that the server ran for the client is an item with its sources', () => {
  const start = withRecord({}, { hosted_search: { tool: 'WebSearch' } })
  const tool = { call_id: 'c', name: 'WebSearch', executor: 'server', tool_type: 'builtin' }
  const structured = { query: 'q', results: [{ url: 'https://a.example', title: 'A' }, { title: 'none' }] }
  const searched = [
    { type: 'tool.ready', ...tool, input_text: '{"query":"q"}', input: { query: 'q' } },
    {
      type: 'tool.completed',
      call_id: 'c',
      content: [],
      output_text: '',
      is_error: false,
      duration_ms: 1,
      structured,
    },
  ] as const
  const log = [
    ...start,
    ...block(0, 'tool_use', { input_text: '{"query":"q"}' }, tool),
    ...searched,
    ...block(1, 'text', { text: 'found' }),
    ...ended('stop'),
  ]
  const all = events(log)
  expectOrdered(all)
  expect(all.map(event => event.type.replace('response.', '')).slice(2, 7)).toEqual([
    'output_item.added',
    'web_search_call.in_progress',
    'web_search_call.searching',
    'web_search_call.completed',
    'output_item.done',
  ])
  expect(all.at(-2).response.output[0]).toEqual({
    id: 'ws_s_1_0',
    type: 'web_search_call',
    status: 'completed',
    action: {
      type: 'search',
      query: 'q',
      queries: ['q'],
      sources: [{ type: 'url', url: 'https://a.example' }],
    },
  })
  const unasked = events([...START, ...log.slice(3)]).at(-2).response.output
  expect(unasked.map((item: Event) => item.type)).toEqual(['message'])
})

test('a summary is exactly one sealed item, whatever the model wrote around it', () => {
  for (const texts of [[], ['one'], ['one ', 'two']]) {
    const blocks = texts.flatMap((text, n) => block(n + 1, 'text', { text }))
    const log = [
      ...withRecord({ compacts: true }),
      ...block(0, 'thinking', { thinking: 'hm' }),
      ...blocks,
      ...ended('stop'),
    ]
    const { output } = events(log, { seal }).at(-2).response
    const summary = JSON.stringify({ kind: 'summary', summary: texts.join('') })
    expect(output).toEqual([{ id: 'cmp_s_1_0', type: 'compaction', encrypted_content: `sealed:${summary}` }])
  }
})

test('a client that shows no refusals gets them, and filtered answers, as text', () => {
  const start = withRecord({ plain_refusals: true })
  const refused = events([...start, ...block(0, 'refusal', { text: 'No.' }), ...ended('refusal')]).at(-2)
  expect(refused.response.output).toMatchObject([{ content: [{ type: 'output_text', text: 'No.' }] }])
  const filtered = events([...start, ...ended('content_filter')]).at(-2)
  expect(filtered).toMatchObject({
    type: 'response.completed',
    response: {
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text' }] }],
      warnings: [{ code: 'content_filtered' }],
    },
  })
})
