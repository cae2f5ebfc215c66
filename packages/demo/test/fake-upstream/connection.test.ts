/** Connections: closed without a reader, and responses that are no event stream. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Model, ModelPart } from '@toolwire/core'
import { createAnthropicModel, createOpenAiChatModel } from '@toolwire/models'
import { describe, expect, it } from 'vitest'
import { collect, request, said } from '../../../models/test/collect.ts'
import { ANSWER } from '../../../models/test/scripted-model.ts'
import { startFakeUpstream } from '../../src/fake-upstream/start.ts'

/** Says a little, then waits until its reader has gone. */
function waitingModel(): { readonly model: Model; readonly gone: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    gone: promise,
    model: {
      provider: 'p',
      id: 'm',
      async *stream(_, signal): AsyncGenerator<ModelPart, void, void> {
        yield* ANSWER.slice(0, 3)
        await new Promise(done => signal.addEventListener('abort', done, { once: true }))
        resolve()
      },
    },
  }
}

describe('a reader that leaves', () => {
  it.for(['anthropic', 'openai'])('the loop early closes the connection: %s', async name => {
    const { model, gone } = waitingModel()
    const upstream = await startFakeUpstream({ model })
    const port =
      name === 'anthropic'
        ? createAnthropicModel({ model: 'm', apiKey: 'k', baseUrl: upstream.url })
        : createOpenAiChatModel({ model: 'm', apiKey: 'k', baseUrl: `${upstream.url}/v1` })
    for await (const part of port.stream(request('hi'), new AbortController().signal))
      if (part.type === 'block-delta') break
    await gone
    await upstream.close()
  })
})

describe('a connection', () => {
  const END = [
    { type: 'message_start', message: { id: 'm', model: 'm', usage: {} } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ]
  const frames = END.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')

  it('whose answer is over serves the next request', async () => {
    let connections = 0
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(frames)
      setTimeout(() => response.end(), 20)
    })
    server.on('connection', () => connections++)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const model = createAnthropicModel({ model: 'm', apiKey: 'k', baseUrl: `http://127.0.0.1:${port}` })
    let requests = 0
    // The end of an answer may arrive late on a slow machine; one of many requests must find it.
    while (connections >= requests && requests < 50) {
      requests++
      expect((await collect(model)).at(-1)?.type).toBe('end')
      await new Promise(resolve => setTimeout(resolve, 40))
    }
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
    expect(connections).toBeLessThan(requests)
  })

  it('that stays open after the response delays no caller, and is closed', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(frames)
      response.on('close', resolve)
    })
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const model = createAnthropicModel({ model: 'm', apiKey: 'k', baseUrl: `http://127.0.0.1:${port}` })
    expect((await collect(model)).at(-1)?.type).toBe('end')
    await closed
    await new Promise(done => server.close(done))
  })
})

describe('an answer that is no event stream', () => {
  const fetching = (body: string, type: string) => ({
    model: 'm',
    apiKey: 'k',
    fetch: async () => new Response(body, { headers: { 'content-type': type } }),
  })

  it('is read whole when it is a completion', async () => {
    const message = {
      content: 'hi',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'x', arguments: '{"n":1}' } }],
    }
    const completion = {
      id: 'c',
      model: 'm',
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    }
    const parts = await collect(
      createOpenAiChatModel(fetching(JSON.stringify(completion), 'application/json')),
    )
    expect(said(parts)).toMatchObject({
      text: 'hi',
      calls: [{ id: 'a', name: 'x', input: '{"n":1}' }],
      last: { type: 'end', finish: 'tool_calls', usage: { input: 3, output: 2 } },
    })
  })

  it.for([createAnthropicModel, createOpenAiChatModel])(
    'is an error that shows it otherwise',
    async create => {
      const parts = await collect(create(fetching('<html>login</html>', 'text/html')))
      expect(parts).toMatchObject([
        { type: 'error', error: { code: 'model_error', details: { body: '<html>login</html>' } } },
      ])
    },
  )
})

describe('the default', () => {
  it('is the demo model: it calls a tool that the request brings and answers from its result', async () => {
    const upstream = await startFakeUpstream()
    const model = createAnthropicModel({ model: 'claude-opus-5', apiKey: 'k', baseUrl: upstream.url })
    const input_schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const tools = [{ name: 'get_weather', description: 'The weather of a city', input_schema }]
    const asked = request('沈阳天气', { tools })
    const first = said(await collect(model, asked))
    const [call] = first.calls
    expect(call).toMatchObject({ name: 'get_weather', input: expect.stringContaining('沈阳') })
    const second = await collect(model, {
      ...asked,
      messages: [
        ...asked.messages,
        {
          role: 'assistant',
          message_id: 'm',
          provider: 'anthropic',
          model: 'm',
          content: [
            { type: 'tool_use', call_id: call?.id ?? '', name: 'get_weather', input_text: call?.input ?? '' },
          ],
        },
        {
          role: 'tool',
          results: [
            {
              type: 'tool_result',
              call_id: call?.id ?? '',
              name: 'get_weather',
              output_text: '21 degrees',
              content: [],
              is_error: false,
            },
          ],
        },
      ],
    })
    expect(said(second)).toMatchObject({ calls: [], last: { type: 'end', finish: 'stop' } })
    expect(said(second).text).toContain('21')
    await upstream.close()
  })
})
