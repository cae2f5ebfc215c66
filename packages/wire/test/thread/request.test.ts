import { AppError } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodePrepareRequest, decodeThreadQuery, decodeThreadRequest } from '../../src/index.ts'

function refusal(body: unknown, decode: (body: unknown) => unknown = decodeThreadRequest): AppError {
  try {
    decode(body)
  } catch (error) {
    if (AppError.is(error)) return error
    throw error
  }
  throw new Error('accepted')
}

function message(body: object) {
  const command = decodeThreadRequest({ input: 'hi', ...body })
  if (command.type !== 'message') throw new Error('not a message')
  return command
}

function answers(body: object) {
  const command = decodeThreadRequest({ thread_id: 1, ...body })
  if (command.type !== 'answers') throw new Error('not answers')
  return command
}

describe('a message', () => {
  it('is read from input or message, and starts a thread unless it names one', () => {
    expect(decodeThreadRequest({ input: '你好', unknown: 1 })).toEqual({
      type: 'message',
      shows: { input_deltas: false, agents: false },
      setup: {},
      input: {
        type: 'input.message',
        role: 'user',
        content: [{ type: 'text', text: '你好' }],
        via: { protocol: 'thread' },
        if_paused: 'supersede',
      },
      guard: {},
    })
    expect(decodeThreadRequest({ message: 'a' })).toMatchObject({ input: { content: [{ text: 'a' }] } })
  })

  it('names its thread by number, by digits, or by the id of the session', () => {
    expect(message({ thread_id: 42 }).thread).toBe(42)
    expect(message({ thread_id: '42' }).thread).toBe(42)
    expect(message({ thread_id: '0000002a-0000-4000-8000-000000000000' }).thread).toMatch(/^0000002a/)
    expect(message({ thread_id: null }).thread).toBeUndefined()
  })

  it('takes messages: what the user says becomes one message, instructions go to the thread', () => {
    const input = [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: [{ type: 'text', text: 'And kind.' }] },
      { role: 'user', content: 'one' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'two' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]
    const { input: said, setup } = message({ input, instructions: 'You are a tutor.' })
    expect(setup.system).toBe('You are a tutor.\n\nBe brief.\n\nAnd kind.')
    expect(said.content).toEqual([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ])
    expect(refusal({ input: [{ role: 'assistant', content: 'x' }] }).message).toContain('input.0.role')
  })

  it('carries the tools of its client, its model and its settings', () => {
    const { input } = message({
      tools: [
        { name: 'a', parameters: { type: 'object' } },
        { type: 'function', function: { name: 'b' } },
      ],
      model: 'demo',
      temperature: 0.5,
      top_p: null,
      options: { seed: 7 },
      max_turns: 3,
    })
    expect(input.client_tools?.map(tool => tool.name)).toEqual(['a', 'b'])
    expect(input.model).toBe('demo')
    expect(input.options).toEqual({ temperature: 0.5, seed: 7 })
    expect(input.max_turns).toBe(3)
  })

  it('keeps a preset name and a user as facts of the thread, never as the model', () => {
    const { setup, input } = message({ name: 'gpt-4o-mini', user: 'a@b.c', credential: { token: 'secret' } })
    expect(setup.metadata).toEqual({ name: 'gpt-4o-mini', user: 'a@b.c' })
    expect(input.model).toBeUndefined()
    expect(JSON.stringify(message({ credential: { token: 'secret' } }))).not.toContain('secret')
  })

  it('asks for further events by name', () => {
    expect(message({ include: ['tool.input.delta', 'nonsense'] }).shows).toEqual({
      input_deltas: true,
      agents: false,
    })
  })
})

describe('answers', () => {
  it('are outputs as they are, and decisions', () => {
    const { outputs, approvals } = answers({
      tool_outputs: [{ call_id: 'a', output: ' {"x": 1}' }],
      tool_approvals: [
        { call_id: 'b', approved: true, arguments: { x: 2 } },
        { call_id: 'c', approved: false, reason: 'no', arguments: null },
      ],
    })
    expect(outputs).toEqual([{ call_id: 'a', output_text: ' {"x": 1}', is_error: false }])
    expect(approvals).toEqual([
      { call_id: 'b', decision: 'approved', edited_input_text: '{"x":2}' },
      { call_id: 'c', decision: 'denied', reason: 'no' },
    ])
  })

  it('that say success: false are failures, unless is_error says otherwise', () => {
    const output = '{"success": false, "error": "x"}'
    const errors = (tool_outputs: object[]) => answers({ tool_outputs }).outputs.map(one => one.is_error)
    expect(errors([{ call_id: 'a', output }])).toEqual([true])
    expect(errors([{ call_id: 'a', output, is_error: false }])).toEqual([false])
    expect(errors([{ call_id: 'a', output: '{"nested":{"success":false}}' }])).toEqual([false])
    expect(errors([{ call_id: 'a', output: '"success": false' }])).toEqual([false])
  })

  it('name their thread, and come without a message', () => {
    const tool_outputs = [{ call_id: 'a', output: '1' }]
    expect(refusal({ tool_outputs }).message).toContain('thread_id')
    expect(refusal({ thread_id: 1, tool_outputs, input: 'hi' }).code).toBe('bad_request')
    expect(answers({ tool_outputs, input: '' }).outputs).toHaveLength(1)
  })

  it('of the wrong type or size are refused with the path of the field', () => {
    const bad = (tool_outputs: unknown) => refusal({ thread_id: 1, tool_outputs })
    expect(bad([{ call_id: 'a', output: { x: 1 } }]).message).toBe(
      'tool_outputs.0.output: an output is a string that holds JSON',
    )
    expect(bad([{ call_id: 'a', output: 'x'.repeat(4_000_001) }]).code).toBe('payload_too_large')
    expect(bad([{ output: '1' }]).message).toContain('tool_outputs.0.call_id')
    const edit = [{ call_id: 'a', approved: true, arguments: '{"x":' }]
    expect(refusal({ thread_id: 1, tool_approvals: edit }).message).toContain('tool_approvals.0.arguments')
  })
})

describe('a query', () => {
  it('is a message, as an EventSource can send it', () => {
    const command = decodeThreadQuery({
      name: 'x',
      input: '你好',
      stream: 'true',
      thread_id: '7',
      include: 'agents,',
    })
    expect(command).toMatchObject({
      type: 'message',
      thread: 7,
      stream: true,
      shows: { agents: true },
      input: { content: [{ text: '你好' }] },
    })
    expect(refusal({ input: 'x', temperature: 'hot' }, decodeThreadQuery).message).toContain('temperature')
  })
})

describe('any other body', () => {
  it('is refused, never a crash', () => {
    expect(
      refusal({ thread_id: 1, tool_outputs: [{ call_id: 'a', output: '1' }] }, decodePrepareRequest).code,
    ).toBe('bad_request')
    const field = fc.constantFrom(
      'thread_id',
      'input',
      'message',
      'tools',
      'tool_outputs',
      'tool_approvals',
      'stream',
    )
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(field, fc.jsonValue())), body => {
        try {
          decodeThreadRequest(body)
        } catch (error) {
          expect(AppError.is(error)).toBe(true)
        }
      }),
      { numRuns: 500 },
    )
  })
})
