import { describe, expect, it } from 'vitest'
import { decodeAiSdkRequest } from '../../src/index.ts'

const user = (id: string, text: string) => ({ id, role: 'user', parts: [{ type: 'text', text }] })
const call = (state: string, more: object = {}) => ({
  type: 'dynamic-tool',
  toolName: 'pick',
  toolCallId: 'call_1',
  state,
  input: { forged: true },
  ...more,
})
const assistant = (...parts: object[]) => ({
  id: 'run_1',
  role: 'assistant',
  parts: [{ type: 'step-start' }, ...parts],
})
const send = (messages: object[], more: object = {}) =>
  decodeAiSdkRequest({ id: 'chat1', messages, trigger: 'submit-message', ...more })

describe('a request of the AI SDK', () => {
  it('brings the new user message; of the list before it only ids and roles are read', () => {
    const request = send([
      user('u1', 'hello'),
      assistant({ type: 'text', text: 'forged' }),
      user('u2', 'again'),
    ])
    expect(request.users).toEqual([{ id: 'u2', content: [{ type: 'text', text: 'again' }] }])
    expect(request.list).toEqual([
      { id: 'u1', role: 'user' },
      { id: 'run_1', role: 'assistant' },
      { id: 'u2', role: 'user' },
    ])
    expect(JSON.stringify(request)).not.toContain('forged')
  })

  it('brings outputs and errors of client tools, and decisions', () => {
    const outputs = send([user('u1', 'hi'), assistant(call('output-available', { output: { a: 1 } }))])
    expect(outputs.answers.outputs).toEqual([{ call_id: 'call_1', output_text: '{"a":1}', is_error: false }])
    expect(outputs.users).toEqual([])
    const failed = send([assistant(call('output-error', { errorText: 'no' }))])
    expect(failed.answers.outputs).toEqual([{ call_id: 'call_1', output_text: 'no', is_error: true }])
    const decided = { approval: { id: 'apr_1', approved: false, reason: 'not now' } }
    expect(send([assistant(call('approval-responded', decided))]).answers.approvals).toEqual([
      { approval_id: 'apr_1', decision: 'denied', reason: 'not now' },
    ])
  })

  it.each(['true', 1, null, undefined, {}, 'yes'])('does not read %j as a decision', approved => {
    const part = call('approval-responded', { approval: { id: 'apr_1', approved } })
    expect(send([assistant(part)]).answers.approvals).toEqual([])
  })

  it('measures what the page has of the message', () => {
    const { held } = send([
      assistant(
        { type: 'reasoning', text: 'a' },
        { type: 'text', text: 'b' },
        call('output-available', { output: 1, providerExecuted: true }),
        { type: 'step-start' },
        call('approval-responded', { toolCallId: 'call_2', approval: { id: 'apr_2', approved: true } }),
      ),
    ])
    expect(held?.steps).toEqual([
      { texts: 1, reasonings: 1 },
      { texts: 0, reasonings: 0 },
    ])
    expect([...(held?.calls ?? [])]).toEqual([
      ['call_1', { isEnded: true }],
      ['call_2', { isEnded: false, approval_id: 'apr_2' }],
    ])
  })

  it('reads files: images as data, texts as text, addresses as they are', () => {
    const parts = [
      { type: 'file', mediaType: 'image/png', filename: 'a.png', url: 'data:image/png;base64,AAAA' },
      { type: 'file', mediaType: 'text/plain', url: `data:text/plain;base64,${btoa('hi')}` },
      { type: 'file', mediaType: 'application/pdf', url: 'https://example.com/a.pdf' },
      { type: 'data-own', data: 1 },
      { type: 'text', text: 'see' },
    ]
    expect(send([{ id: 'u1', role: 'user', parts }]).users[0]?.content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' }, title: 'a.png' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hi' } },
      {
        type: 'document',
        source: { type: 'url', url: 'https://example.com/a.pdf', media_type: 'application/pdf' },
      },
      { type: 'text', text: 'see' },
    ])
  })

  it('reads tools as a list and as an object by name', () => {
    const parameters = { type: 'object', properties: {} }
    const tools = [{ name: 'pick', description: 'picks', input_schema: parameters }]
    expect(send([user('u1', 'hi')], { tools: { pick: { description: 'picks', parameters } } }).tools).toEqual(
      tools,
    )
    expect(
      send([user('u1', 'hi')], { tools: [{ name: 'pick', description: 'picks', parameters }] }).tools,
    ).toEqual(tools)
  })

  it.each([
    [{ id: 'c' }, 'messages: at least one message is required'],
    [{ id: '..', messages: [user('u', 'x')] }, 'id: an id is not . or ..'],
    [{ id: 'a\nb', messages: [user('u', 'x')] }, 'id: an id has no control characters'],
    [{ id: 'x'.repeat(257), messages: [] }, /^id: /],
    [
      { id: 'c', messages: [{ role: 'user', parts: [{ type: 'text', text: 5 }] }] },
      /^messages\.0\.parts\.0\.text: /,
    ],
    [
      {
        id: 'c',
        messages: [
          { role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: 'file:///etc/passwd' }] },
        ],
      },
      /^messages\.0\.parts\.0\.url: /,
    ],
    [{ id: 'c', messages: [user('u', 'x')], tools: 'all' }, /^tools: /],
    [{ id: 'c', messages: 'x' }, /^messages: /],
  ])('rejects %j with a sentence that names the field', (body, message) => {
    expect(() => decodeAiSdkRequest(body)).toThrow(message)
  })
})
