/**
 * Requests of codex 0.169 as it sends them with three names of models: their texts are shortened, every field is there.
 * They hold a round trip: the call of the first response and its output.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { decodeResponsesRequest } from '../../src/index.ts'

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`codex/${name}.json`, import.meta.url), 'utf8')) as Record<string, unknown>

describe.each([
  ['demo', 'exec_command', ['multi_agent_v1__spawn_agent', 'exec_command']],
  ['gpt-5.5', 'exec_command', ['apply_patch', 'tool_search']],
  ['gpt-5.6-terra', 'functions__exec', ['functions__exec', 'functions__wait']],
] as const)('a request of codex with a model named %s', (name, called, tools) => {
  const body = read(name)

  test('has no field that is ignored without a word, and no warning but one of the search', () => {
    const { warnings, store } = decodeResponsesRequest(body)
    const hasSearch = JSON.stringify(body).includes('"web_search"')
    expect(warnings.map(warning => warning.code)).toEqual(hasSearch ? ['tool_ignored'] : [])
    expect(store).toBe(false)
    const search = () => ({ by: 'server', tool: 'WebSearch' }) as const
    const served = decodeResponsesRequest(
      { ...body, tools: [...((body['tools'] as object[] | undefined) ?? []), { type: 'web_search' }] },
      { search },
    )
    expect(served.options).toHaveProperty('hosted_search.tool', 'WebSearch')
  })

  test('brings its tools and the call with its output', () => {
    const { client_tools, tail, history } = decodeResponsesRequest(body)
    const names = client_tools.map(tool => tool.name)
    expect(names).toEqual(expect.arrayContaining([...tools]))
    const assistant = history.findLast(message => message.role === 'assistant')
    expect(assistant).toMatchObject({ content: [{ type: 'tool_use', name: called }] })
    expect(tail).toMatchObject({ type: 'results', missing: [] })
    expect(names).toContain(called)
  })

  test('keeps its settings', () => {
    const { options, stream, user } = decodeResponsesRequest(body)
    const { reasoning, parallel_tool_calls, prompt_cache_key, text } = body as Record<
      string,
      Record<string, unknown>
    >
    expect(stream).toBe(true)
    expect(user).toBe(prompt_cache_key)
    expect(options).toMatchObject({ parallel_tool_calls, prompt_cache_key, reasoning })
    if (reasoning?.['effort'] !== undefined) expect(options['reasoning_effort']).toBe(reasoning['effort'])
    if (text) expect(options['verbosity']).toBe(text['verbosity'])
  })
})

const decode = (more: object) => decodeResponsesRequest({ model: 'm', input: 'x', ...more })

test('settings reach the model by the names that it knows', () => {
  const reasoning = { effort: 'high', summary: 'detailed', context: 'all_turns', mode: 'pro' }
  const { options, warnings } = decode({
    reasoning,
    truncation: 'disabled',
    prompt_cache_retention: '24h',
    prompt_cache_options: { ttl: '12h' },
    text: {},
    stream_options: { include_obfuscation: false },
    client_metadata: { a: 'b' },
  })
  expect(options).toMatchObject({
    reasoning_effort: 'high',
    reasoning,
    compaction: 'off',
    prompt_cache_retention: '24h',
    prompt_cache_options: { ttl: '12h' },
  })
  expect(warnings).toEqual([])
  expect(decode({ truncation: 'auto' }).options).toMatchObject({ compaction: 'on' })
  expect(decode({}).options).not.toHaveProperty('compaction')
})

test.each([
  ['json_schema', { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: true }],
  ['json_object', { type: 'json_object' }],
])('the format %s is a setting of the model, whole', (type, format) => {
  const { type: _, ...json_schema } = format
  const expected = type === 'json_object' ? { type } : { type, json_schema }
  expect(decode({ text: { format } }).options['response_format']).toEqual(expected)
})

test('text needs no format, and metadata has at most 16 pairs', () => {
  expect(decode({ text: { format: { type: 'text' } } }).options).not.toHaveProperty('response_format')
  const pairs = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (__, n) => [`k${n}`, 'v']))
  expect(decode({ metadata: pairs(16) }).warnings).toEqual([])
  expect(() => decode({ metadata: pairs(17) })).toThrow(/metadata.*16/)
})

test('a limit of tool calls applies to the searches of the server', () => {
  const search = () => ({ by: 'server', tool: 'WebSearch' }) as const
  const body = { model: 'm', input: 'x', tools: [{ type: 'web_search' }], max_tool_calls: 2 }
  expect(decodeResponsesRequest(body, { search }).options).toHaveProperty('hosted_search.max_uses', 2)
})

test('fields inside of settings that mean nothing here are named', () => {
  const codes = (more: object) =>
    decode(more).warnings.map(warning => `${warning.code} ${warning.message.split(':', 1)[0]}`)
  expect(codes({ reasoning: { effort: 'low', colour: 'red' } })).toEqual(['field_ignored reasoning.colour'])
  expect(codes({ text: { verbosity: 'low', tone: 'dry' } })).toEqual(['field_ignored text.tone'])
  expect(codes({ context_management: [{ type: 'compaction' }] })).toEqual([
    'field_ignored context_management',
  ])
})
