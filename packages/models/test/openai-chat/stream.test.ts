/** Chat Completions streams of honest and of strange servers. */
import type { ModelPart } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { noCalls, stepCalls } from '../../src/openai-chat/calls.ts'
import { createChatOrigin } from '../../src/openai-chat/origin.ts'
import { chatStream as createChatStream } from '../../src/openai-chat/stream.ts'
import { said } from '../collect.ts'

const chatStream = createChatStream(createChatOrigin({ provider: 'openai', model: 'm' }))

type Delta = Readonly<Record<string, unknown>>
const chunk = (delta: Delta, finish_reason: string | null = null): string =>
  JSON.stringify({ id: 'c1', model: 'm', choices: [{ index: 0, delta, finish_reason }] })
const calls = (...tool_calls: readonly Delta[]): string => chunk({ tool_calls })
const fn = (name: string | undefined, args: string | undefined): Delta => ({
  function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
})

function run(...frames: readonly string[]): readonly ModelPart[] {
  let state = chatStream.initial
  const all: ModelPart[] = []
  for (const data of frames) {
    const [next, parts] = chatStream.step(state, { data })
    state = next
    all.push(...parts)
  }
  return all.some(part => part.type === 'end' || part.type === 'error')
    ? all
    : [...all, ...chatStream.end(state)]
}
const end = (reason: string): readonly string[] => [chunk({}, reason), '[DONE]']
const heard = (parts: readonly ModelPart[]): readonly (readonly [string, string, string])[] =>
  said(parts).calls.map(call => [call.id, call.name, call.input])

describe('calls', () => {
  it('of an honest server stream through', () => {
    const parts = run(
      calls({ index: 0, id: 'a', ...fn('x', '') }),
      calls({ index: 0, ...fn(undefined, '{"q"') }),
      calls({ index: 0, ...fn(undefined, ':1}') }),
      calls({ index: 1, id: 'b', ...fn('y', '{}') }),
      ...end('tool_calls'),
    )
    expect(heard(parts)).toEqual([
      ['a', 'x', '{"q":1}'],
      ['b', 'y', '{}'],
    ])
    // The first call is over as soon as the second begins, not only at the end.
    expect(parts.findIndex(part => part.type === 'block-end' && part.index === 0)).toBeLessThan(
      parts.findIndex(part => part.type === 'block-start' && part.index === 1),
    )
  })

  it('that all carry index 0 are separated by id', () => {
    expect(
      heard(
        run(
          calls({ index: 0, id: 'a', ...fn('x', '{"p":') }),
          calls({ index: 0, ...fn(undefined, '1}') }),
          calls({ index: 0, id: 'b', ...fn('y', '{"q":') }),
          calls({ index: 0, ...fn(undefined, '2}') }),
          ...end('tool_calls'),
        ),
      ),
    ).toEqual([
      ['a', 'x', '{"p":1}'],
      ['b', 'y', '{"q":2}'],
    ])
  })

  it('that all carry one id are separated by index', () => {
    expect(
      heard(
        run(
          calls({ index: 0, id: 'same', ...fn('x', '{"p":1}') }),
          calls({ index: 1, id: 'same', ...fn('y', '{"q"') }),
          calls({ index: 1, id: 'same', ...fn(undefined, ':2}') }),
          ...end('tool_calls'),
        ),
      ).map(call => call.slice(1)),
    ).toEqual([
      ['x', '{"p":1}'],
      ['y', '{"q":2}'],
    ])
  })

  it('with neither id nor index start again with each name', () => {
    expect(
      heard(
        run(
          calls({ ...fn('x', '{"p":1}') }),
          calls({ ...fn('y', '{"q":') }),
          calls({ ...fn(undefined, '2}') }),
          ...end('stop'),
        ),
      ),
    ).toEqual([
      ['', 'x', '{"p":1}'],
      ['', 'y', '{"q":2}'],
    ])
  })

  it('with null ids and repeated names stay one call', () => {
    expect(
      heard(
        run(
          calls({ index: 0, id: null, ...fn('x', '{"p"') }),
          calls({ index: 0, id: null, ...fn('x', ':1}') }),
          ...end('tool_calls'),
        ),
      ),
    ).toEqual([['', 'x', '{"p":1}']])
  })

  it('with a name in every piece cost no more per piece when they are long', () => {
    const text = JSON.stringify({ code: 'if (a) { b("}") }\n'.repeat(50_000) })
    const pieces = text.match(/.{1,16}/gs) ?? []
    expect(pieces.length).toBeGreaterThan(60_000)
    let [looked, parsed] = [0, 0]
    const { charCodeAt } = String.prototype
    const { parse } = JSON
    String.prototype.charCodeAt = function (this: string, at: number): number {
      looked += 1
      return charCodeAt.call(this, at)
    }
    JSON.parse = (given, ...more) => {
      parsed += given.length
      return parse(given, ...more)
    }
    try {
      let {
        table,
        count,
      }: Pick<ReturnType<typeof stepCalls>, 'table' | 'count'> = {
        table: noCalls(data => ({ provider: 'openai', data })),
        count: 0,
      }
      for (const piece of pieces)
        ({ table, count } = stepCalls(table, [{ index: 0, ...fn('x', piece) }], count))
      expect(table.calls).toMatchObject([{ text, index: 0 }])
      // The next one begins: the long one was complete.
      expect(stepCalls(table, [{ index: 0, ...fn('y', '{}') }], count).table.calls).toHaveLength(2)
    } finally {
      String.prototype.charCodeAt = charCodeAt
      JSON.parse = parse
    }
    expect(looked + parsed).toBeLessThanOrEqual(2 * text.length)
    expect(looked).toBeGreaterThan(0)
  })

  it('whose id or name comes late keep what came before', () => {
    expect(
      heard(
        run(
          calls({ index: 0, ...fn(undefined, '{"p"') }),
          calls({ index: 0, id: 'a', ...fn(undefined, ':') }),
          calls({ index: 0, ...fn('x', '1}') }),
          ...end('tool_calls'),
        ),
      ),
    ).toEqual([['a', 'x', '{"p":1}']])
  })

  it('of which several come in one delta, interleaved, stay apart', () => {
    expect(
      heard(
        run(
          calls({ index: 0, id: 'a', ...fn('x', '') }, { index: 1, id: 'b', ...fn('y', '') }),
          calls({ index: 1, ...fn(undefined, '{"b"') }, { index: 0, ...fn(undefined, '{"a"') }),
          calls({ index: 0, ...fn(undefined, ':1}') }, { index: 1, ...fn(undefined, ':2}') }),
          ...end('tool_calls'),
        ),
      ),
    ).toEqual([
      ['a', 'x', '{"a":1}'],
      ['b', 'y', '{"b":2}'],
    ])
  })

  it('without arguments get an empty object; without a name they are still reported', () => {
    expect(
      heard(
        run(
          calls({ index: 0, id: 'a', ...fn('x', '') }),
          calls({ index: 1, id: 'b', ...fn('', '') }),
          ...end('tool_calls'),
        ),
      ),
    ).toEqual([
      ['a', 'x', '{}'],
      ['b', '', '{}'],
    ])
  })

  it('may come with arguments as an object', () => {
    expect(
      heard(run(calls({ index: 0, id: 'a', function: { name: 'x', arguments: { p: 1 } } }), ...end('stop'))),
    ).toEqual([['a', 'x', '{"p":1}']])
  })

  it('of the legacy dialect are read from function_call, streamed and whole', () => {
    const legacy = (name: string | undefined, args: string): string =>
      chunk({ content: null, function_call: { ...(name === undefined ? {} : { name }), arguments: args } })
    const parts = run(
      legacy('x', ''),
      legacy(undefined, '{"p"'),
      legacy(undefined, ':1}'),
      ...end('function_call'),
    )
    expect(heard(parts)).toEqual([['', 'x', '{"p":1}']])
    expect(parts.at(-1)).toMatchObject({ type: 'end', finish: 'tool_calls', stop_reason: 'function_call' })
    const message = { role: 'assistant', function_call: { name: 'x', arguments: '' } }
    const whole = { id: 'c1', choices: [{ index: 0, message, finish_reason: 'function_call' }] }
    expect(heard(run(JSON.stringify(whole), '[DONE]'))).toEqual([['', 'x', '{}']])
  })

  it('that come in both dialects are one call', () => {
    const both = (args: string, more: Delta): string =>
      chunk({ function_call: { arguments: args, ...more }, tool_calls: [{ index: 0, ...fn('x', args) }] })
    const parts = run(
      both('{"p"', { name: 'x' }),
      chunk({ tool_calls: [{ index: 0, ...fn(undefined, ':1}') }] }),
      chunk({ function_call: { arguments: ':1}' } }),
      ...end('tool_calls'),
    )
    expect(heard(parts)).toEqual([['', 'x', '{"p":1}']])
  })

  it('are ignored where function_call is no object', () => {
    const odd = [null, 'x', 7, [], {}].map(function_call => chunk({ function_call, content: 'a' }))
    expect(said(run(...odd.slice(0, 4), ...end('stop')))).toMatchObject({ calls: [] })
  })
})

describe('text and thinking', () => {
  it('reasoning_content, or reasoning, becomes a thinking block before the text', () => {
    const parts = run(
      chunk({ role: 'assistant', content: '', reasoning_content: 'hm' }),
      chunk({ reasoning: 'm' }),
      chunk({ content: 'hi' }),
      ...end('stop'),
    )
    expect(said(parts)).toMatchObject({ thinking: 'hmm', text: 'hi' })
    expect(parts.flatMap(part => (part.type === 'block-start' ? [part.kind] : []))).toEqual([
      'thinking',
      'text',
    ])
  })

  it('text and a call in one delta are two blocks', () => {
    const parts = run(
      chunk({ content: 'now', tool_calls: [{ index: 0, id: 'a', ...fn('x', '{}') }] }),
      ...end('tool_calls'),
    )
    expect(parts.map(part => part.type)).toEqual([
      'start',
      'block-start',
      'block-delta',
      'block-end',
      'block-start',
      'block-delta',
      'block-end',
      'end',
    ])
  })

  it('a refusal is a refusal block, and content may be a list', () => {
    expect(run(chunk({ refusal: 'no' }), ...end('stop'))).toContainEqual({
      type: 'block-start',
      index: 0,
      kind: 'refusal',
    })
    expect(said(run(chunk({ content: [{ type: 'text', text: 'hi' }] }), ...end('stop'))).text).toBe('hi')
  })
})

describe('the end', () => {
  const call = calls({ index: 0, id: 'a', ...fn('x', '{}') })
  it.for([
    ['stop beside calls', [call, ...end('stop')], 'tool_calls'],
    ['tool_calls without calls', [chunk({ content: 'x' }), ...end('tool_calls')], 'stop'],
    ['length', [chunk({ content: 'x' }), ...end('length')], 'length'],
    ['content_filter', [chunk({ content: 'x' }), ...end('content_filter')], 'content_filter'],
    ['an unknown word', [chunk({ content: 'x' }), ...end('eos')], 'stop'],
    ['no finish reason but a terminator', [chunk({ content: 'x' }), '[DONE]'], 'stop'],
    ['a finish reason but no terminator', [chunk({ content: 'x' }), chunk({}, 'stop')], 'stop'],
  ] as const)('with %s', ([, frames, finish]) => {
    expect(run(...frames).at(-1)).toMatchObject({ type: 'end', finish })
  })

  it('without either is an error', () => {
    expect(run(chunk({ content: 'x' })).at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'model_unavailable' },
    })
    expect(run('[DONE]')).toMatchObject([{ type: 'error' }])
  })

  it('as an error chunk, or as finish reason error, is an error', () => {
    expect(
      run(chunk({ content: 'x' }), JSON.stringify({ error: { message: 'boom', type: 'server_error' } })).at(
        -1,
      ),
    ).toMatchObject({
      type: 'error',
      error: { code: 'model_unavailable', message: 'boom' },
    })
    expect(run(chunk({ content: 'x' }, 'error')).at(-1)).toMatchObject({ type: 'error' })
  })
})

describe('usage', () => {
  it('comes in a chunk without choices, cached tokens counted apart', () => {
    const usage = JSON.stringify({
      choices: [],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 20,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
    })
    expect(run(chunk({ content: 'x' }), chunk({}, 'stop'), usage, '[DONE]').at(-1)).toMatchObject({
      usage: { input: 30, output: 20, cache_read: 60, cache_write: 10, reasoning: 5 },
    })
  })

  it('in every chunk is the latest, not the sum', () => {
    const with_ = (n: number): string =>
      JSON.stringify({
        choices: [{ index: 0, delta: { content: 'x' } }],
        usage: { prompt_tokens: 5, completion_tokens: n },
      })
    expect(run(with_(1), with_(2), ...end('stop')).at(-1)).toMatchObject({ usage: { input: 5, output: 2 } })
  })
})
