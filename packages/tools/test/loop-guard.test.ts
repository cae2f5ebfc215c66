/** What counts as the same call again, and what does not. */
import { afterEach, expect, test } from 'vitest'
import { createStage, type Stage, textOf } from './stage.ts'
import { simple } from './test-tools.ts'

let stage: Stage | undefined
const open = (answer: (n: number) => string = () => 'same', mode = 'default'): Stage => {
  let n = 0
  const poll = simple('Poll', {
    async *call() {
      yield { type: 'result', output_text: answer(n++) }
    },
  })
  stage = createStage({ tools: [poll], mode })
  return stage
}
afterEach(() => {
  stage?.close()
  stage = undefined
})

/** The number of these calls that run before the user is asked; all of them without a question. */
async function untilAsked(s: Stage, texts: readonly string[]): Promise<number> {
  for (const [n, text] of texts.entries()) {
    await s.say([{ name: 'Poll', text }])
    if ((await s.settle()) === 'pause') return n
  }
  return texts.length
}
const repeated = (times: number, ...inputs: readonly object[]): readonly string[] =>
  Array.from({ length: times }, () => inputs.map(input => JSON.stringify(input))).flat()

test('blanks and the order of arguments do not make another call', async () => {
  const texts = ['{"n":1,"text":"a"}', '{ "text": "a", "n": 1 }']
  expect(await untilAsked(open(), [...texts, ...texts, ...texts])).toBe(5)
})

test('read-only calls that begin while the model still writes count as well', async () => {
  const s = open()
  for (let n = 0; n < 5; n++) {
    await s.say([{ name: 'Poll', text: '{}' }], 'tool_calls', true)
    expect(await s.settle(), `call ${n}`).toBe('call-model')
  }
  await s.say([{ name: 'Poll', text: '{}' }], 'tool_calls', true)
  expect(s.events('tool.started')).toHaveLength(5)
  expect(await s.settle()).toBe('pause')
  expect(s.events('tool.approval_requested')).toHaveLength(1)
  const [call] = s.state().calls
  if (call) s.approve(call, { answer_text: 'Continue' })
  expect(await s.settle()).toBe('call-model')
  expect(s.events('tool.started')).toHaveLength(6)
})

test('a repeated read-only call is rejected where asking is not possible, also when it starts early', async () => {
  const s = open(undefined, 'dontAsk')
  for (let n = 0; n < 6; n++) {
    await s.say([{ name: 'Poll', text: '{}' }], 'tool_calls', true)
    await s.settle()
  }
  expect(textOf(s.state().calls[0])).toContain('It was not run again')
})

test('other arguments do', async () => {
  expect(
    await untilAsked(
      open(),
      Array.from({ length: 12 }, (_, n) => `{"n":${n}}`),
    ),
  ).toBe(12)
})

test('so does another result, even when an earlier one comes back', async () => {
  expect(
    await untilAsked(
      open(n => (n % 4 === 3 ? 'other' : 'same')),
      repeated(20, {}),
    ),
  ).toBe(20)
  stage?.close()
  expect(
    await untilAsked(
      open(n => (n === 3 ? 'other' : 'same')),
      repeated(20, {}),
    ),
  ).toBe(9)
})

test('a cycle of five calls is noticed when it was gone through five times, one of six is not', async () => {
  const steps = (count: number) => Array.from({ length: count }, (_, n) => ({ n }))
  expect(await untilAsked(open(), repeated(6, ...steps(5)))).toBe(25)
  stage?.close()
  expect(await untilAsked(open(), repeated(6, ...steps(6)))).toBe(36)
})

test('the note gives the number of results before it, and says nothing before the third', async () => {
  const s = open()
  const told: string[] = []
  for (let n = 0; n < 4; n++) told.push(textOf(await s.one('Poll', {})))
  expect(told.slice(0, 2)).toEqual(['same', 'same'])
  expect(told[2]).toMatch(/^same\n\[Note: the same result as the 2 times before/)
  expect(told[3]).toMatch(/as the 3 times before/)
})

test('a user message in between resets the count', async () => {
  const s = open()
  expect(await untilAsked(s, repeated(4, {}))).toBe(4)
  const at = { ts: new Date().toISOString(), run_id: 'run_2' }
  s.append(
    {
      type: 'run.cancelled',
      ...at,
      run_id: 'run_1',
      reason: 'enough',
      usage_by_model: [],
      duration_ms: 0,
      num_turns: 4,
    },
    {
      type: 'input.message',
      ...at,
      message_id: 'in_2',
      role: 'user',
      content: [{ type: 'text', text: 'and again, please' }],
    },
    {
      type: 'run.started',
      ...at,
      conversation_id: 'conv_2',
      trigger: 'message',
      client_tools: [],
      model: 'demo',
    },
  )
  expect(s.state().messages.at(-1)?.role).toBe('user')
  expect(await untilAsked(s, repeated(4, {}))).toBe(4)
  expect(await untilAsked(s, repeated(4, {}))).toBe(1)
})
