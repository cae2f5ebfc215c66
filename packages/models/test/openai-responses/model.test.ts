/** The model over the Responses API against the fake upstream: round trips, keys that cannot decrypt, the other API. */
import type { HistoryMessage, Model, ModelPart } from '@toolwire/core'
import { type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createOpenAiModel } from '../../src/openai-model.ts'
import { chooseApi } from '../../src/openai-responses/choose-api.ts'
import { createOpenAiResponsesModel } from '../../src/openai-responses/model.ts'
import { isOfficialHost } from '../../src/shared/official-host.ts'
import { collect, request, said } from '../collect.ts'
import { FIRST, SECOND, scriptedModel, TEXT } from '../scripted-model.ts'

let upstream: FakeUpstream
beforeEach(async () => {
  upstream = await startFakeUpstream({ model: scriptedModel() })
})
afterEach(() => upstream.close())

const responses = (headers: Readonly<Record<string, string>> = {}): Model =>
  createOpenAiResponsesModel({
    model: 'gpt-5.5',
    apiKey: 'k',
    baseUrl: `${upstream.url}/v1`,
    headers,
    retry: { maxRetries: 0 },
  })

const bodies = (): readonly { readonly input: readonly { readonly type: string }[] }[] =>
  upstream.requests.map(({ body }) => body as { input: { type: string }[] })

/** The message as the log would give it back. */
function toMessage(parts: readonly ModelPart[], provider: string): HistoryMessage {
  const content = parts.flatMap((part): readonly object[] => {
    if (part.type !== 'block-start') return []
    const joined = said(parts.filter(one => !('index' in one) || one.index === part.index))
    const end = parts.find(one => one.type === 'block-end' && one.index === part.index)
    const opaque = end?.type === 'block-end' && end.opaque ? { opaque: end.opaque } : {}
    const [call] = joined.calls
    if (call)
      return [{ type: 'tool_use', call_id: call.id, name: call.name, input_text: call.input, ...opaque }]
    return part.kind === 'thinking'
      ? [{ type: 'thinking', thinking: joined.thinking, ...opaque }]
      : [{ type: 'text', text: joined.text, ...opaque }]
  })
  return { role: 'assistant', message_id: 'm', provider, model: 'x', content } as HistoryMessage
}

function history(parts: readonly ModelPart[], model: Model): readonly HistoryMessage[] {
  const results = said(parts).calls.map(call => ({
    type: 'tool_result' as const,
    call_id: call.id,
    name: call.name,
    output_text: 'ok',
    content: [],
    is_error: false,
  }))
  const first = request('hello').messages
  return [...first, toMessage(parts, model.provider), { role: 'tool', results }]
}

describe('a round trip', () => {
  it.for(['', 'no-item-ids', 'done-only', 'interleaved', 'one-byte'])('with the fault "%s"', async fault => {
    const model = responses(fault === '' ? {} : { 'x-fake-fault': fault })
    const parts = await collect(model)
    expect(said(parts).text).toBe(TEXT)
    expect(said(parts).calls).toEqual([FIRST, SECOND])
    expect(parts.at(-1)).toMatchObject({ type: 'end', finish: 'tool_calls', request_id: expect.any(String) })
  })

  it('sends the reasoning of the first turn back in the second', async () => {
    const model = responses()
    const parts = await collect(model)
    const next = await collect(model, request('', { messages: history(parts, model) }))
    expect(next.at(-1)?.type).toBe('end')
    const sent = bodies()[1]?.input.map(item => item.type)
    expect(sent?.slice(0, 3)).toEqual(['message', 'reasoning', 'message'])
  })
})

it('an error event and the failed response after it are one failure, and what was said before stays', async () => {
  const parts = await collect(responses({ 'x-fake-fault': 'error-then-failed;after=4' }))
  const ends = parts.filter(part => part.type === 'error' || part.type === 'end')
  expect(ends).toMatchObject([{ type: 'error', error: { code: 'model_overloaded', retryable: true } }])
  expect(parts[0]?.type).toBe('start')
})

it('the fake service rejects reasoning without its item, as the real one does', async () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'enc_1' }
  const ask = async (input: readonly object[]) => {
    const response = await fetch(`${upstream.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer k' },
      body: JSON.stringify({ model: 'm', input, stream: false }),
    })
    return [response.status, (await response.json()).error?.message]
  }
  const user = { type: 'message', role: 'user', content: 'x' }
  const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'y' }] }
  for (const input of [
    [user, reasoning],
    [user, reasoning, user],
  ])
    expect(await ask(input)).toEqual([400, expect.stringContaining('without its required following item')])
  expect(await ask([user, reasoning, said, user])).toEqual([200, undefined])
})

describe('reasoning that the provider cannot decrypt', () => {
  it('is left out, the request is sent once more, and the answer says so', async () => {
    const model = responses()
    const parts = await collect(model)
    upstream.strike('invalid-encrypted')
    const next = await collect(model, request('', { messages: history(parts, model) }))
    expect(next[0]).toMatchObject({ type: 'start', warnings: [{ code: 'thinking_dropped' }] })
    expect(next.at(-1)?.type).toBe('end')
    expect(bodies().map(({ input }) => input.some(item => item.type === 'reasoning'))).toEqual([
      false,
      true,
      false,
    ])
  })

  it('does not hide any other rejection', async () => {
    upstream.strike('400')
    const parts = await collect(responses())
    expect(parts.at(-1)).toMatchObject({ error: { code: 'model_error', http_status: 400 } })
    expect(upstream.requests).toHaveLength(1)
  })
})

describe('the other API', () => {
  const model = (): Model =>
    createOpenAiModel({ model: 'gpt-x-pro', apiKey: 'k', baseUrl: `${upstream.url}/v1` })

  it('is used when Chat Completions names it, reported once and remembered', async () => {
    upstream.stand('needs-responses')
    const one = model()
    const parts = await collect(one)
    expect(parts[0]).toMatchObject({ type: 'start', warnings: [{ code: 'api_switched' }] })
    expect(said(parts).text).toBe(TEXT)
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/responses'])
    const again = await collect(one)
    expect(again[0]).not.toHaveProperty('warnings')
    expect(upstream.requests.map(({ path }) => path).slice(2)).toEqual(['/v1/responses'])
    expect(one.provider).toBe('openai:openai-responses')
  })

  it('is used when a server has no Responses API', async () => {
    const fetched: string[] = []
    const one = createOpenAiModel({
      api: 'openai-responses',
      model: 'local',
      baseUrl: `${upstream.url}/v1`,
      apiKey: 'k',
      fetch: (url, init) => {
        fetched.push(String(url))
        return String(url).endsWith('/responses')
          ? Promise.resolve(Response.json({ detail: 'Not Found' }, { status: 404 }))
          : fetch(url, init)
      },
    })
    expect(said(await collect(one)).text).toBe(TEXT)
    expect(fetched.map(url => url.split('/v1')[1])).toEqual(['/responses', '/chat/completions'])
  })

  it('is not asked about a model that does not exist', async () => {
    upstream.strike('404')
    expect((await collect(model())).at(-1)).toMatchObject({ error: { code: 'unknown_model' } })
    expect(upstream.requests).toHaveLength(1)
  })
})

describe('the choice of the API', () => {
  it.for([
    ['gpt-5', 'openai-responses'],
    ['gpt-5.4-mini', 'openai-responses'],
    ['gpt-6-astra', 'openai-responses'],
    ['gpt-7-x', 'openai-responses'],
    ['o1-pro', 'openai-responses'],
    ['o3', 'openai-responses'],
    ['codex-mini-latest', 'openai-responses'],
    ['ft:gpt-5-mini:org::id', 'openai-responses'],
    ['gpt-4o', 'openai-chat'],
    ['gpt-4.1-nano', 'openai-chat'],
    ['ft:gpt-4o-mini:org::id', 'openai-chat'],
    ['gpt-4o-search-preview', 'openai-chat'],
    ['gpt-5-search-preview', 'openai-chat'],
    ['gpt-audio-2', 'openai-chat'],
  ] as const)('%s on the official host is %s', ([model, api]) => {
    expect(chooseApi(model, true)).toBe(api)
    expect(chooseApi(model, false)).toBe('openai-chat')
  })

  it('knows the official host', () => {
    expect(
      [undefined, 'https://api.openai.com/v1', 'https://eu.api.openai.com/v1'].every(isOfficialHost),
    ).toBe(true)
    expect(
      ['http://localhost:1/v1', 'https://api.openai.com.evil.example/v1', 'nonsense'].some(isOfficialHost),
    ).toBe(false)
  })
})
