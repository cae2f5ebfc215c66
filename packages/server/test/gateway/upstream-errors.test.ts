/** Refusals and breaks of the upstream as clients of either wire see them, through either API. */
import { type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Gateway, startGateway } from './gateway-server.ts'
import { HALF, startHalfUpstream } from './half-upstream.ts'
import { modelsBehind } from './models-behind.ts'

let upstream: FakeUpstream
let gateway: Gateway
beforeAll(async () => {
  upstream = await startFakeUpstream()
  const models = modelsBehind(upstream.url)
  gateway = await startGateway({ models })
})
afterAll(async () => {
  await gateway.close()
  await upstream.close()
})

const MODELS = ['anthropic/claude-test', 'openai/gpt-test']
const ask = (path: string, model: string, stream: boolean, to = gateway) =>
  to.post(path, {
    model,
    stream,
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hello, tell me something long' }],
  })

describe.each(MODELS)('with %s', model => {
  describe.each([false, true])('and stream %s', stream => {
    test.each([
      [400, 400, 'invalid_request_error'],
      [401, 401, 'authentication_error'],
      [403, 403, 'permission_error'],
      [404, 404, 'not_found_error'],
      [413, 413, 'invalid_request_error'],
      [429, 429, 'rate_limit_error'],
      [500, 500, 'server_error'],
      [529, 503, 'server_error'],
    ])('an upstream’s %i is %i %s on Chat Completions', async (fault, status, type) => {
      upstream.strike(`${fault};retry-after=7`)
      const response = await ask('/v1/chat/completions', model, stream)
      expect(response.status).toBe(status)
      const { error } = await response.json()
      expect(error).toEqual({
        message: expect.any(String),
        type,
        code: expect.any(String),
        param: status === 404 ? 'model' : null,
      })
      expect(response.headers.get('x-should-retry')).toBe(String(status === 429 || status >= 500))
      if (status === 429) expect(response.headers.get('retry-after')).toBe('7')
    })

    test.each([
      [400, 'invalid_request_error'],
      [401, 'authentication_error'],
      [403, 'permission_error'],
      [404, 'not_found_error'],
      [413, 'request_too_large'],
      [429, 'rate_limit_error'],
      [500, 'api_error'],
      [529, 'overloaded_error'],
    ])('an upstream’s %i is kept, as %s, on Messages', async (status, type) => {
      upstream.strike(`${status};retry-after=7`)
      const response = await ask('/v1/messages', model, stream)
      expect(response.status).toBe(status)
      expect(await response.json()).toEqual({
        type: 'error',
        error: { type, message: expect.any(String) },
        request_id: response.headers.get('request-id'),
      })
      if (status === 429) expect(response.headers.get('retry-after')).toBe('7')
    })
  })
})

describe.each(MODELS)('half an answer of %s', model => {
  describe.each(['/v1/chat/completions', '/v1/messages'])('on %s', path => {
    test.each(['error', 'reset', 'end'] as const)(
      'and then %s is an error without a proper end, and the log says failed, with what was used',
      async how => {
        const half = await startHalfUpstream()
        const beside = await startGateway({ models: half.models })
        try {
          const response = await ask(path, model, true, beside)
          expect(response.status).toBe(200)
          const text = await readAll(response, so => {
            if (so.includes(HALF)) half.breakOff(how)
          })
          expect(text).not.toContain('[DONE]')
          expect(text).not.toContain('message_stop')
          expect(text).not.toMatch(/"finish_reason":"|"stop_reason":"/)
          expect(text.trimEnd().split('\n').at(-1)).toMatch(/^data: \{.*"error":\{.*"message"/)
          const log = await beside.store.read(response.headers.get('x-session-id') ?? '', 0, 1000)
          const failed = log.at(-1)?.ev
          expect(failed?.type).toBe('run.failed')
          expect(log.filter(({ ev }) => ev.type === 'message.aborted')).toHaveLength(1)
          if (model.startsWith('anthropic'))
            expect(failed).toMatchObject({ usage_by_model: [{ usage: { input: 11, output: 2 } }] })
        } finally {
          await beside.close()
          half.close()
        }
      },
    )
  })
})

async function readAll(response: Response, seen: (text: string) => void): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    seen(text)
  }
  return text
}
