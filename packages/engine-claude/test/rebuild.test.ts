/** Continuing with a child, or building a new one from the log. */
import type { HistoryMessage } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { continuationOf } from '../src/continuation.ts'
import { toRebuild, toTranscript } from '../src/transcript.ts'

const user = (text: string): HistoryMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const assistant: HistoryMessage = {
  role: 'assistant',
  message_id: 'msg_1',
  provider: 'anthropic',
  model: 'claude',
  content: [
    { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
    { type: 'text', text: 'Let me look.' },
    { type: 'tool_use', call_id: 'a', name: 'look', input_text: '{"at": "home"}' },
    { type: 'tool_use', call_id: 'b', name: 'Bash', input_text: '{"broken' },
  ],
}
const result = (call_id: string) =>
  ({
    type: 'tool_result',
    call_id,
    name: 'look',
    output_text: `of ${call_id}`,
    content: [],
    is_error: call_id === 'b',
  }) as const
const results: HistoryMessage = { role: 'tool', results: [result('a'), result('b')] }

describe('a child that waits for its calls', () => {
  const standing = { known: 1, idle: false, calls: new Set(['a', 'b']) }
  test('is answered with their results', () => {
    expect(continuationOf(standing, [user('hi'), assistant, results])).toEqual({
      do: 'answer',
      results: [result('a'), result('b')],
    })
  })
  test.for<[string, readonly HistoryMessage[]]>([
    ['the user spoke instead of waiting', [user('hi'), assistant, results, user('stop')]],
    ['somebody else has gone on', [user('hi'), assistant, results, assistant, results]],
    ['the results are of other calls', [user('hi'), assistant, { role: 'tool', results: [result('c')] }]],
    ['the message was never recorded', [user('hi'), user('again')]],
  ])('is replaced when %s', ([, messages]) => {
    expect(continuationOf(standing, messages)).toEqual({ do: 'rebuild' })
  })
  test('is read when it repeats an interrupted message', () => {
    expect(continuationOf(standing, [user('hi')])).toEqual({ do: 'listen' })
  })
})

describe('an idle child', () => {
  const standing = { known: 1, idle: true, calls: new Set<string>() }
  const said = { ...assistant, content: [{ type: 'text', text: 'Hi.' } as const] }
  test('hears the next message', () => {
    expect(continuationOf(standing, [user('hi'), said, user('more')])).toEqual({
      do: 'say',
      messages: [user('more')],
    })
  })
  test('is replaced when another one has spoken since', () => {
    expect(continuationOf(standing, [user('hi'), said, user('more'), said, user('last')])).toEqual({
      do: 'rebuild',
    })
  })
  test('is replaced when there is nothing to say to it', () => {
    expect(continuationOf(standing, [user('hi'), said])).toEqual({ do: 'rebuild' })
  })
})

describe('the history of the log', () => {
  test('splits into what was and what is new', () => {
    expect(toRebuild([user('hi')])).toEqual({ transcript: [], prompt: [{ type: 'text', text: 'hi' }] })
    expect(toRebuild([user('hi'), assistant, results])).toEqual({
      transcript: [user('hi'), assistant, results],
    })
    const later = toRebuild([user('hi'), assistant, results, user('one'), user('two')])
    expect(later.transcript).toHaveLength(3)
    expect(later.prompt?.map(part => part.type === 'text' && part.text)).toEqual(['one', 'two'])
  })

  test('becomes a chain of entries with calls, results and signed thinking', () => {
    let n = 0
    const entries = toTranscript([user('hi'), assistant, results], {
      session_id: 's',
      cwd: '/w',
      model: 'claude',
      ts: 'now',
      newUuid: () => `u${++n}`,
      toModelName: name => `mcp__gateway__${name}`,
    })
    expect(
      entries.map(entry => [entry['type'], entry['parentUuid'], entry['uuid'], entry['sessionId']]),
    ).toEqual([
      ['user', null, 'u1', 's'],
      ['assistant', 'u1', 'u2', 's'],
      ['user', 'u2', 'u3', 's'],
    ])
    expect(entries[1]?.['message']).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'a', name: 'mcp__gateway__look', input: { at: 'home' } },
        { type: 'tool_use', id: 'b', name: 'mcp__gateway__Bash', input: { _raw: '{"broken' } },
      ],
    })
    expect(entries[2]?.['message']).toMatchObject({
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'of a' }] },
        { type: 'tool_result', tool_use_id: 'b', is_error: true },
      ],
    })
  })

  test('does not show one provider the signed thinking of another', () => {
    const context = {
      session_id: 's',
      cwd: '/',
      model: 'm',
      ts: '',
      newUuid: () => 'u',
      toModelName: (n: string) => n,
    }
    const entries = toTranscript([{ ...assistant, provider: 'script' }], context)
    expect(JSON.stringify(entries)).not.toContain('c2ln')
  })
})
