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
  expect(all.at(-4)).toMatchObject({ type: 'response.output_item.done', item: { status: 'completed' } })
  expect(all.at(-3)).toMatchObject({
    type: 'error',
    code: 'server_is_overloaded',
    message: 'No.',
    error: { code: 'server_is_overloaded', type: 'server_error', message: 'No.', param: null },
  })
  expect(all.at(-2)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } })
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
