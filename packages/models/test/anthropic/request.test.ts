/** Requests in the words of the Messages API. */
import { type HistoryMessage, type ModelRequest, writeJson } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { toAnthropicRequest } from '../../src/anthropic/request.ts'
import { findCapability } from '../../src/capabilities.ts'
import { toRequestBody } from '../../src/shared/request-body.ts'

const user = (text: string): HistoryMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const assistant = (
  content: Extract<HistoryMessage, { role: 'assistant' }>['content'],
  provider = 'anthropic',
): HistoryMessage => ({ role: 'assistant', message_id: 'm', provider, model: 'x', content })
const call = (call_id: string, name = 'Read', input_text = '{"p":1}') =>
  ({ type: 'tool_use', call_id, name, input_text }) as const
const result = (call_id: string, output_text = 'ok', is_error = false) =>
  ({ type: 'tool_result', call_id, name: 'Read', output_text, content: [], is_error }) as const
const spec = { name: 'Read', description: 'reads', input_schema: { type: 'object', properties: { p: {} } } }

const build = (
  messages: readonly HistoryMessage[],
  more: Partial<ModelRequest> = {},
  model = 'claude-opus-5',
) => toAnthropicRequest({ model, messages, tools: [spec], ...more }, findCapability('anthropic', model))
/** Without cache marks, which have their own tests. */
const plain = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (key, entry) => (key === 'cache_control' ? undefined : entry)))
const messagesOf = (messages: readonly HistoryMessage[]) => plain(build(messages).body.messages)

describe('history', () => {
  it('puts parallel results first, in call order, in one user turn with the next message', () => {
    const messages = messagesOf([
      user('go'),
      assistant([call('a'), call('b')]),
      { role: 'tool', results: [result('b', 'B'), result('a', 'A', true)] },
      user('and now?'),
    ])
    expect(messages[2]).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'A' }], is_error: true },
        { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'B' }] },
        { type: 'text', text: 'and now?' },
      ],
    })
  })

  it('answers an unanswered call, and quotes an unexpected result', () => {
    const messages = messagesOf([
      user('go'),
      assistant([call('a')]),
      { role: 'tool', results: [result('z', 'stray')] },
    ])
    expect(messages[2].content).toMatchObject([
      { type: 'tool_result', tool_use_id: 'a', is_error: true },
      { type: 'text', text: expect.stringMatching(/z.*stray/) },
    ])
  })

  it('keeps the last of two results for one call', () => {
    const messages = messagesOf([
      user('go'),
      assistant([call('a')]),
      { role: 'tool', results: [result('a', 'old'), result('a', 'new')] },
    ])
    expect(messages[2].content).toMatchObject([{ content: [{ text: 'new' }] }])
  })

  it('returns signed thinking of this provider unchanged, and no other', () => {
    const thinking = (signature?: string) => ({ type: 'thinking', thinking: 'hm', signature }) as const
    const redacted = { type: 'redacted_thinking', data: { type: 'redacted_thinking', data: 'x' } } as const
    const text = { type: 'text', text: 'hi' } as const
    expect(messagesOf([user('a'), assistant([thinking('s'), redacted, text]), user('b')])[1].content).toEqual(
      [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'redacted_thinking', data: 'x' },
        { type: 'text', text: 'hi' },
      ],
    )
    expect(messagesOf([user('a'), assistant([thinking(), text]), user('b')])[1].content).toEqual([text])
    expect(
      messagesOf([user('a'), assistant([thinking('s'), redacted, text], 'openai'), user('b')])[1].content,
    ).toEqual([text])
  })

  it('returns the provider’s own tool blocks with the arguments that followed', () => {
    const data = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }
    const content = [
      { type: 'provider', kind: 'provider_tool_use', data, input_text: '{"query":"q"}' },
    ] as const
    expect(messagesOf([user('a'), assistant(content)])[1].content).toEqual([
      { ...data, input: { query: 'q' } },
    ])
  })

  it('drops empty text and empty turns, and merges the then adjacent ones', () => {
    expect(messagesOf([user('a'), assistant([{ type: 'text', text: ' ' }]), user(''), user('b')])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ])
  })

  it('keeps arguments as the model wrote them: order, digits, and what is broken or no object under a name', () => {
    const texts = [
      '{"b":1.0,"id":12345678901234567890,"a":{"x":[1e3,-0]}}',
      '{"b":1,"2":{"9":0,"10":0},"1":1}',
    ]
    for (const text of texts) {
      const { body } = build([user('a'), assistant([call('c', 'Read', text)])])
      expect(writeJson(body)).toContain(`"input":${text}`)
    }
    const inputs = ['', '{"a":', '[1]', '{"b":2}']
    const messages = messagesOf([user('a'), assistant(inputs.map((text, n) => call(`c${n}`, 'Read', text)))])
    expect(messages[1].content.map((block: { input: unknown }) => block.input)).toEqual([
      {},
      { _raw: '{"a":' },
      { _raw: '[1]' },
      { b: 2 },
    ])
  })

  it('keeps legal ids, replaces others the same way on both sides, and never uses one twice', () => {
    const messages = messagesOf([
      user('a'),
      assistant([call('functions.Bash:0'), call('functions_Bash_0')]),
      { role: 'tool', results: [result('functions.Bash:0', 'dot'), result('functions_Bash_0', 'line')] },
      assistant([call('functions_Bash_0')]),
      { role: 'tool', results: [result('functions_Bash_0', 'again')] },
    ])
    const ids = [...messages[1].content, ...messages[3].content].map((block: { id: string }) => block.id)
    expect(new Set(ids).size).toBe(3)
    expect(ids[1]).toBe('functions_Bash_0')
    expect(messages[2].content).toMatchObject([
      { tool_use_id: ids[0], content: [{ text: 'dot' }] },
      { tool_use_id: ids[1], content: [{ text: 'line' }] },
    ])
    expect(messages[4].content).toMatchObject([{ tool_use_id: ids[2] }])
  })

  describe('system messages', () => {
    const system = (text: string): HistoryMessage => ({ role: 'system', content: [{ type: 'text', text }] })
    const b = assistant([{ type: 'text', text: 'b' }])
    const text = (value: string) => ({ type: 'text', text: value })

    it('stay in order: leading ones are system blocks, later ones stay in position, as text', () => {
      const history = [system('one'), user('a'), system('two'), b, user('c')]
      const { body, warnings } = build(history, { system: 'zero' }, 'claude-sonnet-4-5')
      expect(plain(body.system)).toEqual([text('zero'), text('one')])
      expect(plain(body.messages[0])).toEqual({
        role: 'user',
        content: [text('a'), text('<system>\ntwo\n</system>')],
      })
      expect(warnings.map(warning => warning.code)).toEqual(['system_in_text'])
    })

    it('have a separate role where the model accepts it, after the user’s or a tool’s content', () => {
      const history = [
        system('one'),
        user('a'),
        system('two'),
        system('three'),
        assistant([call('c')]),
        { role: 'tool', results: [result('c')] } as const,
        system('four'),
      ]
      const { body, warnings } = build(history, {}, 'claude-opus-4-8')
      expect(plain(body.system)).toEqual([text('one')])
      expect(plain(body.messages)).toMatchObject([
        { role: 'user', content: [text('a')] },
        { role: 'system', content: [text('two'), text('three')] },
        { role: 'assistant' },
        { role: 'user', content: [{ type: 'tool_result' }] },
        { role: 'system', content: [text('four')] },
      ])
      expect(warnings).toEqual([])
    })

    it('stay in words where that role has no place: before the user, or with nothing to follow', () => {
      const { body, warnings } = build([user('a'), b, system('two'), user('c')])
      expect(plain(body.messages[2])).toEqual({
        role: 'user',
        content: [text('<system>\ntwo\n</system>'), text('c')],
      })
      expect(warnings).toMatchObject([{ code: 'system_in_text' }])
      expect(build([user('a'), b, system('two')]).body.messages.map(message => message.role)).toEqual([
        'user',
        'assistant',
        'user',
      ])
    })

    it('do not hide that a tool loop began without thinking', () => {
      const history = [
        user('a'),
        assistant([call('c')]),
        { role: 'tool', results: [result('c')] } as const,
        system('x'),
      ]
      const asked = { options: { thinking: { type: 'enabled', budget_tokens: 2000 } }, max_tokens: 9000 }
      const midSystem = { provider: 'anthropic', id: 'm', thinking: 'budget', mid_system: true } as const
      const { body } = toAnthropicRequest(
        { model: 'm', messages: history, tools: [spec], ...asked },
        midSystem,
      )
      expect(body.messages.at(-1)?.role).toBe('system')
      expect(body.thinking).toBeUndefined()
    })
  })

  it('sends written documents as text, whatever they were called', () => {
    const data = Buffer.from('a;b').toString('base64')
    const csv = { type: 'document', source: { type: 'base64', media_type: 'text/csv', data } } as const
    expect(messagesOf([{ role: 'user', content: [csv] }])[0].content[0]).toEqual({
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'a;b' },
    })
  })

  it('sends images and documents, and never a document without text', () => {
    const document = {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' },
    } as const
    const image = { type: 'image', source: { type: 'url', url: 'https://e.com/x.png' } } as const
    expect(messagesOf([{ role: 'user', content: [document, image] }])[0].content).toMatchObject([
      { type: 'document', source: { type: 'base64' } },
      { type: 'image', source: { type: 'url', url: 'https://e.com/x.png' } },
      { type: 'text' },
    ])
  })
})

describe('tools', () => {
  it('have legal names that are one to one and lead back', () => {
    const tools = ['a.b', 'a_b', 'a/b'].map(name => ({ ...spec, name }))
    const { body, names } = build([user('x')], { tools, tool_choice: { type: 'tool', name: 'a.b' } })
    const wire = (body.tools ?? []).map(tool => String(tool.name))
    expect(new Set(wire).size).toBe(3)
    expect(wire[1]).toBe('a_b')
    expect(wire.map(names.fromWire)).toEqual(['a.b', 'a_b', 'a/b'])
    expect(body.tool_choice).toMatchObject({ type: 'tool', name: wire[0] })
  })

  it('have object schemas: unions at the root are flattened and described in text', () => {
    const input_schema = {
      oneOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: {} }, required: ['b'] }],
    }
    const { body } = build([user('x')], { tools: [{ name: 't', description: 'does', input_schema }] })
    expect(plain(body.tools)).toEqual([
      {
        name: 't',
        description: expect.stringMatching(/^does\n\n.*"required":\["b"\]/s),
        input_schema: { type: 'object', properties: { a: { type: 'string' }, b: {} } },
      },
    ])
  })

  it('are strict where the model holds to a schema, in the part of it that it can hold to, and never claimed so elsewhere', () => {
    const input_schema = {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 3 } },
      required: ['n'],
    }
    const strict = { tools: [{ name: 't', input_schema, strict: true }] }
    const { body, warnings } = build([user('x')], strict, 'claude-opus-5')
    expect(plain(body.tools)).toEqual([
      {
        name: 't',
        strict: true,
        input_schema: {
          type: 'object',
          properties: { n: { type: 'integer', description: expect.stringContaining('minimum') } },
          required: ['n'],
          additionalProperties: false,
        },
      },
    ])
    expect(warnings).toEqual([])
    const loose = build([user('x')], strict, 'claude-3-5-haiku')
    expect(plain(loose.body.tools)).toEqual([{ name: 't', input_schema }])
    expect(loose.warnings).toMatchObject([{ code: 'strict_ignored' }])
    expect(plain(build([user('x')]).body.tools)[0]).not.toHaveProperty('strict')
  })

  it('of the history are declared again when the request brings none, but may not be called', () => {
    const { body } = build(
      [user('a'), assistant([call('x', 'Gone')]), { role: 'tool', results: [result('x')] }],
      { tools: [] },
    )
    expect(plain(body.tools)).toEqual([{ name: 'Gone', input_schema: { type: 'object', properties: {} } }])
    expect(body.tool_choice).toEqual({ type: 'none' })
  })

  it('of the history are declared as the session knew them, and others of that session are not', () => {
    const input_schema = { type: 'object', properties: { city: { type: 'string' } } }
    const past_tools = ['Gone', 'Unused'].map(name => ({ name, description: 'of old', input_schema }))
    const { body } = build(
      [user('a'), assistant([call('x', 'Gone')]), { role: 'tool', results: [result('x')] }],
      { tools: [], past_tools },
    )
    expect(plain(body.tools)).toEqual([{ name: 'Gone', description: 'of old', input_schema }])
    expect(body.tool_choice).toEqual({ type: 'none' })
  })

  it.for([
    [{ tool_choice: { type: 'any' } }, { type: 'any' }],
    [{ tool_choice: { type: 'none' }, parallel_tool_calls: false }, { type: 'none' }],
    [{ parallel_tool_calls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [
      { tool_choice: { type: 'any' }, parallel_tool_calls: false },
      { type: 'any', disable_parallel_tool_use: true },
    ],
    [{}, undefined],
  ] as const)('are chosen as asked: %o', ([more, expected]) => {
    expect(build([user('x')], more).body.tool_choice).toEqual(expected)
  })
})

describe('settings', () => {
  const body = (options: Record<string, unknown>, model: string, max_tokens?: number) =>
    build([user('x')], { options, ...(max_tokens === undefined ? {} : { max_tokens }) }, model).body

  it('drop sampling that the model refuses, and clamp it elsewhere', () => {
    expect(body({ temperature: 0.2 }, 'claude-opus-5')).not.toHaveProperty('temperature')
    expect(body({ temperature: 1.7, top_p: 0.5 }, 'claude-sonnet-4-5')).toMatchObject({ temperature: 1 })
    expect(body({ temperature: 1.7, top_p: 0.5 }, 'claude-sonnet-4-5')).not.toHaveProperty('top_p')
  })

  it('turn an effort into what the model has: adaptive thinking or a budget below max_tokens', () => {
    expect(body({ reasoning_effort: 'high' }, 'claude-opus-5')).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    })
    expect(body({ reasoning_effort: 'high' }, 'claude-sonnet-4-5', 4000)).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 3999 },
    })
    expect(body({ reasoning_effort: 'high' }, 'claude-sonnet-4-5', 900)).not.toHaveProperty('thinking')
  })

  it('fit thinking to the model: no budget where it is adaptive, no off where there is none', () => {
    const budget = { thinking: { type: 'enabled', budget_tokens: 2000 } }
    expect(body(budget, 'claude-opus-5').thinking).toEqual({ type: 'adaptive' })
    expect(body(budget, 'claude-haiku-4-5').thinking).toEqual(budget.thinking)
    expect(body({ reasoning_effort: 'none' }, 'claude-opus-5').thinking).toEqual({ type: 'disabled' })
    expect(body({ reasoning_effort: 'none' }, 'claude-opus-5-5').thinking).toBeUndefined()
  })

  it('switch a budget off for a tool loop that began without thinking', () => {
    const loop = [user('a'), assistant([call('x')]), { role: 'tool', results: [result('x')] } as const]
    const options = { thinking: { type: 'enabled', budget_tokens: 2000 } }
    expect(build(loop, { options }, 'claude-sonnet-4-5').body).not.toHaveProperty('thinking')
    const signed = [
      user('a'),
      assistant([{ type: 'thinking', thinking: 'hm', signature: 's' }, call('x')]),
      loop[2],
    ] as const
    expect(build(signed as readonly HistoryMessage[], { options }, 'claude-sonnet-4-5').body).toHaveProperty(
      'thinking',
    )
  })

  it('take stops as text or list, without blank ones; max_tokens from the table when absent', () => {
    expect(body({ stop: 'END' }, 'claude-opus-5').stop_sequences).toEqual(['END'])
    expect(body({ stop: [' ', 'A'] }, 'claude-opus-5').stop_sequences).toEqual(['A'])
    expect(body({}, 'claude-haiku-4-5').max_tokens).toBe(64_000)
    expect(body({}, 'claude-unheard-of').max_tokens).toBe(32_000)
    expect(body({}, 'claude-opus-5', 12.6).max_tokens).toBe(13)
  })
})

describe('refusals before anything is sent', () => {
  it('a forced tool with thinking names both', () => {
    const { refusal } = build([user('x')], {
      tool_choice: { type: 'any' },
      options: { thinking: { type: 'adaptive' } },
    })
    expect(refusal).toMatch(/tool_choice.*thinking/)
  })

  it('a begun answer is refused only by models that cannot continue one', () => {
    const begun = [user('x'), assistant([{ type: 'text', text: 'Once ' }])]
    expect(build(begun, {}, 'claude-opus-5').refusal).toMatch(/claude-opus-5/)
    const old = build(begun, {}, 'claude-haiku-4-5')
    expect(old.refusal).toBeUndefined()
    expect(old.body.messages.at(-1)).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Once' }] })
  })

  it('a paused turn of the provider’s own tools is no begun answer', () => {
    const data = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }
    const paused = [user('x'), assistant([{ type: 'provider', kind: 'provider_tool_use', data }])]
    expect(build(paused).refusal).toBeUndefined()
  })
})

describe('cache marks', () => {
  /** Every block of a request in the order the provider reads it, and which are marked. */
  function blocks(body: ReturnType<typeof build>['body']): readonly { text: string; marked: boolean }[] {
    const all = [
      ...(body.tools ?? []),
      ...(body.system ?? []),
      ...body.messages.flatMap(message => [...message.content]),
    ]
    return all.map(block => ({ text: JSON.stringify(plain(block)), marked: 'cache_control' in block }))
  }

  it('let every request of a growing session read the one before from the cache, however much a turn adds', () => {
    const history: HistoryMessage[] = [user('go')]
    let cached: readonly string[] = []
    for (let turn = 0; turn < 6; turn++) {
      const now = blocks(build(history, { system: 'be brief' }).body)
      const texts = now.map(block => block.text)
      // The provider looks for a prefix that ends at a mark.
      const hits = now.flatMap((block, place) => (block.marked ? [place + 1] : []))
      if (turn > 0) expect(hits.some(length => length === cached.length)).toBe(true)
      expect(texts.slice(0, cached.length)).toEqual(cached)
      expect(now.filter(block => block.marked).length).toBeLessThanOrEqual(4)
      expect(now.at(-1)?.marked).toBe(true)
      cached = texts
      const ids = Array.from({ length: turn * 9 + 1 }, (_, n) => `t${turn}_${n}`)
      history.push(assistant(ids.map(id => call(id))), { role: 'tool', results: ids.map(id => result(id)) })
    }
  })

  it('are on the tools when there is no system prompt', () => {
    expect(build([user('x')]).body.tools?.at(-1)).toHaveProperty('cache_control')
  })

  it('leave the tools of all requests the same bytes', async () => {
    const bytes = async (text: string, ttl = '5m') =>
      (await toRequestBody(build([user(text)], { options: { cache_ttl: ttl } }).body, writeJson))[1]
    expect(await bytes('one')).toBeInstanceOf(Buffer)
    expect(await bytes('two')).toBe(await bytes('one'))
    expect(String(await bytes('two', '1h'))).toContain('"ttl":"1h"')
  })
})
