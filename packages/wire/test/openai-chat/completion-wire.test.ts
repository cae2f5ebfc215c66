/** Chunks of single cases: what is shown, how it ends, what it counts. */
import { expect, test } from 'vitest'
import { completionWire, foldCompletion, toChatError } from '../../src/index.ts'
import { asked, type Body, block, ended, records, START, totals } from '../gateway/log.ts'

function chunks(bodies: readonly Body[], options = {}) {
  const step = completionWire.open({ session_id: 's', options: { model: 'alias', ...options } })
  return records(bodies)
    .flatMap(step)
    .map(({ data }) => (data === '[DONE]' ? data : JSON.parse(data)))
}
const fold = (bodies: readonly Body[]) => {
  const step = completionWire.open({ session_id: 's', options: { include_usage: true } })
  return foldCompletion(records(bodies).flatMap(step))
}

test('the first chunk says who speaks, the last why it ends, and then it is done', () => {
  const all = chunks([...START, ...block(0, 'text', { text: 'hi' }), ...ended('stop')])
  expect(all.map(chunk => chunk.choices?.[0] ?? chunk)).toEqual([
    {
      index: 0,
      delta: { role: 'assistant', content: '', refusal: null },
      logprobs: null,
      finish_reason: null,
    },
    { index: 0, delta: { content: 'hi' }, logprobs: null, finish_reason: null },
    { index: 0, delta: {}, logprobs: null, finish_reason: 'stop' },
    '[DONE]',
  ])
  expect(all[0]).toMatchObject({ id: 'chatcmpl-s_1', created: 1767225600, model: 'alias' })
  expect(all[0]).not.toHaveProperty('usage')
})

test('usage comes in a separate chunk, and only on request', () => {
  const all = chunks([...START, ...ended('stop')], { include_usage: true })
  expect(all.map(chunk => chunk.usage)).toEqual([
    null,
    null,
    {
      prompt_tokens: 15,
      completion_tokens: 5,
      total_tokens: 20,
      prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 1 },
    },
    undefined,
  ])
  expect(all[2].choices).toEqual([])
})

test.each([
  ['stop', 'stop'],
  ['length', 'length'],
  ['refusal', 'content_filter'],
  ['content_filter', 'content_filter'],
  ['pause', 'stop'],
  ['error', 'stop'],
] as const)('a run that ends with %s finishes with %s', (finish, reason) => {
  expect(chunks([...START, ...ended(finish)]).at(-2).choices[0].finish_reason).toBe(reason)
})

test('several texts are one content, refusals have their own place, thinking is reasoning_content', () => {
  const { choices } = fold([
    ...START,
    ...block(0, 'thinking', { thinking: 'hm', signature: 'sig' }),
    ...block(1, 'text', { text: 'a' }),
    ...block(2, 'text', { text: 'b' }),
    ...block(3, 'refusal', { text: 'no' }),
    ...ended('refusal'),
  ])
  expect(choices[0]).toMatchObject({
    message: { content: 'ab', refusal: 'no', reasoning_content: 'hm' },
    finish_reason: 'content_filter',
  })
})

test('a call without arguments has the arguments {}', () => {
  const pending = [{ kind: 'client_tool', id: 'x', call_id: 'x', name: 'f', input_text: '' }]
  const { choices } = fold([
    ...START,
    ...block(0, 'tool_use', { input_text: '' }, { call_id: 'x', name: 'f' }),
    ...asked(...pending),
  ])
  expect(choices[0]).toEqual({
    index: 0,
    message: {
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    logprobs: null,
    finish_reason: 'tool_calls',
  })
})

test("the server's and the provider's own calls stay out, and so do subagents", () => {
  const { choices } = fold([
    ...START,
    ...block(0, 'tool_use', { input_text: '{}' }, { call_id: 'x', name: 'f', executor: 'server' }),
    ...block(1, 'provider_tool_use', { data: {}, input_text: '{}' }),
    ...block(2, 'text', { text: 'nested' }).map(body => ({ ...body, agent_run_id: 'a' })),
    ...ended('stop'),
  ])
  expect(choices[0]?.message).toEqual({ role: 'assistant', content: '', refusal: null })
})

test('an interrupted and restarted message is an error: sent text cannot be withdrawn', () => {
  const [, turn] = START
  const broken: readonly Body[] = [{ type: 'message.aborted', message_id: 'm', reason: 'failed' }]
  const said = block(0, 'text', { text: 'half' })
  const again = [...broken, ...(turn ? [turn] : []), ...block(1, 'text', { text: 'anew' }), ...ended('stop')]
  const all = chunks([...START, ...said, ...again])
  expect(all.at(-1)).toMatchObject({ error: { code: 'interrupted' } })
  expect(JSON.stringify(all)).not.toContain('anew"')
  // Nothing of an empty message was sent.
  expect(chunks([...START, ...again]).at(-1)).toBe('[DONE]')
})

test('a run that ends at calls of which none is the client’s finishes with stop: there is nothing to run', () => {
  const server = { call_id: 'x', name: 'f', executor: 'server' }
  const { choices } = fold([
    ...START,
    ...block(0, 'tool_use', { input_text: '{}' }, server),
    ...ended('tool_calls'),
  ])
  expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: '' } })
  expect(choices[0]?.message).not.toHaveProperty('tool_calls')
})

test('arguments that the server refused are marked', () => {
  const all = chunks([
    ...START,
    ...block(0, 'tool_use', { input_text: '{"a":' }, { call_id: 'x', name: 'f' }),
    {
      type: 'tool.failed',
      call_id: 'x',
      error: { code: 'bad_json', layer: 'schema', message: '', retryable: false },
      output_text: '',
      duration_ms: 0,
    },
    ...ended('stop'),
  ])
  expect(all.at(-2).warnings).toEqual([
    { code: 'invalid_arguments', message: expect.stringContaining('The call x') },
  ])
})

test('a failure in the middle is an error chunk, and nothing after it', () => {
  const error = { code: 'model_overloaded', message: 'Overloaded', retryable: true, http_status: 529 }
  const all = chunks([
    ...START,
    ...block(0, 'text', { text: 'half' }),
    { type: 'run.failed', error, ...totals },
  ])
  expect(all.at(-1)).toEqual({
    error: { message: 'Overloaded', type: 'server_error', param: null, code: 'model_overloaded' },
  })
  expect(all.filter(chunk => chunk.choices?.[0].finish_reason)).toEqual([])
})

test.each([
  [{ code: 'bad_request', message: 'n: only one' }, 400, 'invalid_request_error', 'n'],
  [{ code: 'unauthorized', message: '' }, 401, 'authentication_error', null],
  [{ code: 'unknown_model', message: '' }, 404, 'not_found_error', 'model'],
  [{ code: 'payload_too_large', message: '' }, 413, 'invalid_request_error', null],
  [{ code: 'model_rate_limited', message: '' }, 429, 'rate_limit_error', null],
  [{ code: 'model_overloaded', message: '' }, 503, 'server_error', null],
  [{ code: 'model_error', message: '', http_status: 422 }, 422, 'invalid_request_error', null],
  [{ code: 'a tool of ours', message: '' }, 500, 'server_error', null],
])('%j has status %d', (problem, status, type, param) => {
  expect(toChatError(problem)).toMatchObject({ status, body: { error: { type, param } } })
})
