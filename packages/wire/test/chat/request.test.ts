import { AppError } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeApproval, decodeChatRequest, decodeToolOutputs } from '../../src/index.ts'

function refusal(body: unknown): AppError {
  try {
    decodeChatRequest(body)
  } catch (error) {
    if (AppError.is(error)) return error
    throw error
  }
  throw new Error('accepted')
}
const message = (body: object) => {
  const command = decodeChatRequest({ session_id: 's', message: 'hi', ...body })
  if (command.type !== 'message') throw new Error('not a message')
  return command.input
}

describe('a chat request', () => {
  it('becomes one message that supersedes a pause by default', () => {
    expect(decodeChatRequest({ session_id: 's', message: '你好', unknown: 1 })).toEqual({
      type: 'message',
      session_id: 's',
      input: {
        type: 'input.message',
        role: 'user',
        content: [{ type: 'text', text: '你好' }],
        via: { protocol: 'chat' },
        if_paused: 'supersede',
      },
      guard: {},
    })
    expect(message({ if_paused: 'queue' }).if_paused).toBe('queue')
  })

  it('says what a run that it meets means: a steering message leaves a pause open', () => {
    const decode = (more: object) => decodeChatRequest({ session_id: 's', message: 'a', ...more })
    expect(decode({ when_running: 'steer' })).toMatchObject({
      input: { when_running: 'steer', if_paused: 'queue' },
      guard: {},
    })
    expect(decode({ when_running: 'steer', if_paused: 'supersede' })).toMatchObject({
      input: { if_paused: 'supersede' },
    })
    const refused = decode({ when_running: 'reject', expected_run_id: 'r' })
    expect(refused).toMatchObject({ guard: { needsIdle: true, expected_run_id: 'r' } })
    expect(JSON.stringify(refused)).not.toContain('when_running')
    expect(() => decode({ when_running: 'now' })).toThrow('when_running')
  })

  it('takes content parts in both common spellings', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
    const parts = [
      { type: 'text', text: 'a' },
      image,
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ]
    expect(message({ message: parts }).content).toEqual([{ type: 'text', text: 'a' }, image, image])
  })

  it('takes client tools in both common spellings', () => {
    const input_schema = { type: 'object', properties: { v: { type: 'number' } } }
    const tools = [
      { name: 'a', description: 'd', input_schema },
      { name: 'b', parameters: input_schema },
      { type: 'function', function: { name: 'c', parameters: input_schema } },
      { name: 'd' },
    ]
    expect(message({ tools }).client_tools).toEqual([
      { name: 'a', description: 'd', input_schema },
      { name: 'b', input_schema },
      { name: 'c', input_schema },
      { name: 'd', input_schema: { type: 'object', properties: {} } },
    ])
  })

  it('passes limits, options and the provider session on', () => {
    const input = message({
      max_turns: 3,
      max_cost_usd: 0.5,
      model: 'm',
      options: { temperature: 1 },
      resume: 'c1',
    })
    expect(input).toMatchObject({
      max_turns: 3,
      max_cost_usd: 0.5,
      model: 'm',
      options: { temperature: 1, resume: 'c1' },
    })
  })

  it('is refused with the path of the wrong field', () => {
    expect(refusal({ session_id: 's', message: 5 }).message).toMatch(/^message: /)
    expect(refusal({ message: 'x' }).message).toMatch(/^session_id: /)
    expect(refusal({ session_id: 's', message: 'x', max_turns: '3' }).message).toMatch(/^max_turns: /)
    expect(refusal({ session_id: 's', message: 'x', tools: [{ name: 'a b' }] }).message).toMatch(/^tools\.0/)
    expect(refusal({ session_id: 's', message: '' }).code).toBe('bad_request')
    expect(refusal({ session_id: 's', message: 'x'.repeat(1_000_001) }).code).toBe('bad_request')
    expect(refusal({ session_id: 's', message: 'x', tools: [{ name: 'a' }, { name: 'a' }] }).message).toMatch(
      /two tools have the name "a"/,
    )
    expect(refusal([]).code).toBe('bad_request')
  })

  it('carries outputs and approvals instead of a message, never beside one', () => {
    const body = {
      session_id: 's',
      message: '',
      tool_outputs: [
        { tool_use_id: 'c1', output: { ok: true } },
        { call_id: 'c2', content: [{ type: 'text', text: 'a' }], is_error: true },
      ],
      approvals: [{ approval_id: 'a1', approved: false, reason: 'no' }],
    }
    expect(decodeChatRequest(body)).toEqual({
      type: 'answers',
      session_id: 's',
      outputs: [
        { call_id: 'c1', output_text: '{"ok":true}', is_error: false },
        { call_id: 'c2', output_text: 'a', is_error: true },
      ],
      approvals: [{ approval_id: 'a1', decision: 'denied', reason: 'no' }],
    })
    expect(refusal({ ...body, message: 'hi' }).code).toBe('bad_request')
  })

  it('never makes the decoder fail otherwise than by a refusal', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (a, b) => {
        for (const body of [
          a,
          { session_id: 's', message: a },
          { session_id: 's', message: 'm', tools: b, options: a },
          { session_id: 's', tool_outputs: a, approvals: b },
        ])
          for (const decode of [decodeChatRequest, decodeApproval, decodeToolOutputs])
            try {
              decode(body)
            } catch (error) {
              expect(AppError.is(error)).toBe(true)
            }
      }),
      { numRuns: 300 },
    )
  })
})

describe('an approval', () => {
  it('is read in every spelling, with edited arguments as text', () => {
    expect(decodeApproval({ decision: 'approve' })).toEqual({ decision: 'approved' })
    expect(decodeApproval({ approved: true, input: { a: 1 }, rule: 'Bash(ls)' })).toEqual({
      decision: 'approved',
      rule: 'Bash(ls)',
      edited_input_text: '{"a":1}',
    })
    expect(decodeApproval({ answer: 'blue' })).toEqual({ decision: 'approved', answer_text: 'blue' })
  })

  it('is refused without a decision, or with two', () => {
    expect(() => decodeApproval({})).toThrow(/decision/)
    expect(() => decodeApproval({ decision: 'approved', approved: false })).toThrow(/decision/)
  })
})
