/** The server itself: its knobs, its routes, its end. */
import { describe, expect, it } from 'vitest'
import { ANSWER, scriptedModel } from '../../../models/test/scripted-model.ts'
import { parseFault } from '../../src/fake-upstream/faults.ts'
import { startFakeUpstream } from '../../src/fake-upstream/start.ts'

const HEADERS = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' }
const BODY = { model: 'claude-x', max_tokens: 9, stream: true, messages: [{ role: 'user', content: 'hi' }] }
const post = (url: string, body: unknown = BODY): Promise<Response> =>
  fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) })

describe('the stream', () => {
  it('has the true shape, down to the ping, the empty first fragment and cumulative usage', async () => {
    const upstream = await startFakeUpstream({ model: scriptedModel() })
    const text = await (await post(`${upstream.url}/v1/messages`)).text()
    await upstream.close()
    const events = text
      .split('\n\n')
      .filter(Boolean)
      .map(frame => ({
        name: /^event: (.*)$/m.exec(frame)?.[1],
        data: JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? ''),
      }))
    expect(events.every(event => event.name === event.data.type)).toBe(true)
    expect(events.slice(0, 3).map(event => event.name)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
    ])
    expect(events[0]?.data.message).toMatchObject({
      content: [],
      stop_reason: null,
      usage: { output_tokens: 1 },
    })
    const toolStart = events.findIndex(event => event.data.content_block?.type === 'tool_use')
    expect(events[toolStart + 1]?.data.delta).toEqual({ type: 'input_json_delta', partial_json: '' })
    expect(events.slice(-2).map(event => event.name)).toEqual(['message_delta', 'message_stop'])
    expect(events.at(-2)?.data.usage).toMatchObject({ input_tokens: 12, output_tokens: 34 })
  })

  it('reports a model that fails midway as an error event, and one that fails at once as a status', async () => {
    const error = {
      type: 'error',
      error: { code: 'model_overloaded', message: 'busy', retryable: true },
    } as const
    for (const [parts, check] of [
      [
        [...ANSWER.slice(0, 3), error],
        (text: string, status: number) => status === 200 && /event: error\n.*busy/.test(text),
      ],
      [
        [error],
        (text: string, status: number) => status === 500 && JSON.parse(text).error.message === 'busy',
      ],
    ] as const) {
      const upstream = await startFakeUpstream({
        model: {
          provider: 'p',
          id: 'm',
          async *stream() {
            yield* parts
          },
        },
      })
      const response = await post(`${upstream.url}/v1/messages`)
      expect(check(await response.text(), response.status)).toBe(true)
      await upstream.close()
    }
  })
})

describe('faults', () => {
  it('are read with their settings, and unknown ones are refused', async () => {
    expect(parseFault('429;retry-after=2;times=1')).toEqual({ name: '429', retryAfter: 2, times: 1 })
    expect(parseFault('meteor')).toBeUndefined()
    await expect(startFakeUpstream({ fault: 'meteor' })).rejects.toThrow(/meteor/)
  })

  it('strike by query, by queue and for good, the nearest first', async () => {
    const upstream = await startFakeUpstream({ model: scriptedModel(), fault: '500' })
    const status = async (query = ''): Promise<number> => {
      const response = await post(`${upstream.url}/v1/messages${query}`)
      await response.text()
      return response.status
    }
    upstream.strike('429;times=2')
    expect([await status(), await status('?fault=401'), await status(), await status()]).toEqual([
      429, 401, 429, 500,
    ])
    await upstream.close()
  })
})

describe('requests', () => {
  it('are kept for the test to look at', async () => {
    const upstream = await startFakeUpstream({ model: scriptedModel() })
    await (await post(`${upstream.url}/v1/messages`)).text()
    expect(upstream.requests).toMatchObject([
      { method: 'POST', path: '/v1/messages', body: { model: 'claude-x' } },
    ])
    await upstream.close()
  })

  it.for([
    ['no messages', { ...BODY, messages: [] }, 400],
    ['an empty text', { ...BODY, messages: [{ role: 'user', content: ' ' }] }, 400],
    ['a bad tool name', { ...BODY, tools: [{ name: 'a b', input_schema: {} }] }, 400],
    ['a list', [], 400],
  ] as const)('with %s are refused in the vendor’s shape', async ([, body, status]) => {
    const upstream = await startFakeUpstream({ model: scriptedModel() })
    const response = await post(`${upstream.url}/v1/messages`, body)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
    await upstream.close()
  })

  it('to other routes are not found; a probe of the root is answered', async () => {
    const upstream = await startFakeUpstream({ model: scriptedModel() })
    expect((await fetch(`${upstream.url}/`, { method: 'HEAD' })).status).toBe(200)
    expect((await post(`${upstream.url}/v1/images`)).status).toBe(404)
    await upstream.close()
    await upstream.close()
  })
})
