/** The vendors' clients in a page of an allowed origin: every header they send may be sent, every header of ours may be read. */

import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { generateText } from 'ai'
import OpenAI from 'openai'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from './gateway-server.ts'

const ORIGIN = 'https://app.example'
/** A browser sends and shows these without asking. */
const SAFE =
  /^(accept|accept-language|content-language|content-length|cache-control|content-type|expires|pragma)$/
/** Of the connection, not for scripts. */
const HOP =
  /^(access-control-.*|connection|date|keep-alive|transfer-encoding|vary|x-accel-buffering|x-content-type-options)$/

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway({ config: { allowedOrigins: [ORIGIN] } })
})
afterEach(() => gateway.close())

const names = (list: string | null): readonly string[] => (list ?? '').split(', ')

/** As a browser does: asks before the request, and hides what is not exposed. */
const browse: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  const asked = [...request.headers.keys()].filter(name => name !== 'accept' && name !== 'content-length')
  const preflight = await fetch(request.url, {
    method: 'OPTIONS',
    headers: {
      origin: ORIGIN,
      'access-control-request-method': request.method,
      'access-control-request-headers': asked.join(','),
    },
  })
  expect(preflight.status).toBe(204)
  expect(names(preflight.headers.get('access-control-allow-headers'))).toEqual(expect.arrayContaining(asked))
  request.headers.set('origin', ORIGIN)
  const response = await fetch(request)
  const shown = [...response.headers.keys()].filter(name => !SAFE.test(name) && !HOP.test(name))
  expect(names(response.headers.get('access-control-expose-headers'))).toEqual(expect.arrayContaining(shown))
  return response
}

const HEADERS = {
  'x-session-id': 'from-a-page',
  'x-server-tools': 'none',
  'x-tool-repair': 'repair',
  'x-forced-tool': 'refuse',
  'x-max-cost-usd': '1',
  'x-max-total-tokens': '1000000',
  'x-max-duration-ms': '60000',
  'x-fallback-models': 'demo',
}
const messages = [{ role: 'user' as const, content: 'say hi' }]

test('the OpenAI client may send what it sends, with an organization, a project and our headers', async () => {
  const client = new OpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: 'k',
    organization: 'o',
    project: 'p',
    dangerouslyAllowBrowser: true,
    fetch: browse,
  })
  const headers = { ...HEADERS, 'idempotency-key': 'one', 'user-agent': 'page' }
  const stream = client.chat.completions.stream({ model: 'demo', messages }, { headers, timeout: 9_000 })
  expect((await stream.finalMessage()).content).toBe('hi')
  const odd = { model: 'demo', messages, seed: 5 }
  const { response } = await client.chat.completions.create(odd).withResponse()
  expect(response.headers.get('x-toolwire-warnings')).toContain('seed')
  expect((await client.models.list()).data.length).toBeGreaterThan(0)
})

test('the Anthropic client may send what it sends, with betas', async () => {
  const client = new Anthropic({
    baseURL: gateway.url,
    apiKey: 'k',
    dangerouslyAllowBrowser: true,
    fetch: browse,
    maxRetries: 0,
  })
  const body = { model: 'demo', max_tokens: 9, messages }
  const message = await client.beta.messages.create({ ...body, betas: ['files-api-2025-04-14'] })
  expect(message.content).toMatchObject([{ text: 'hi' }])
  await client.messages.countTokens({ model: 'demo', messages })
  const failing = { ...body, messages: [{ role: 'user' as const, content: 'fail model_overloaded 529' }] }
  await expect(client.messages.create(failing)).rejects.toMatchObject({ status: 529 })
})

test('the AI SDK may send what it sends', async () => {
  const models = [
    createOpenAICompatible({ name: 't', baseURL: `${gateway.url}/v1`, apiKey: 'k', fetch: browse })('demo'),
    createAnthropic({ baseURL: `${gateway.url}/v1`, apiKey: 'k', fetch: browse })('demo'),
  ]
  for (const model of models) expect((await generateText({ model, messages })).text).toBe('hi')
})

test('headers that neither this server nor the vendors know are not allowed', async () => {
  const asked = ['x-other', 'openai-', 'x-stainless-a b', `anthropic-${'a'.repeat(99)}`, 'x-evil-stainless-']
  const preflight = await fetch(`${gateway.url}/v1/messages`, {
    method: 'OPTIONS',
    headers: {
      origin: ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': asked.join(','),
    },
  })
  const allowed = names(preflight.headers.get('access-control-allow-headers'))
  expect(allowed.filter(name => asked.includes(name))).toEqual([])
})
