/** The AI SDK and LangChain over the Responses API, unmodified: round trips, parallel calls, errors, cuts, restarts. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createMemoryStore } from '@toolwire/store'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createWeather, FOUND, PARALLEL } from '../test/clients/weather.ts'
import { type Gateway, startGateway } from '../test/gateway/gateway-server.ts'
import { folderOf } from './installed.ts'
import { clientCache } from './python-packages.ts'
import { responsesClients } from './responses-clients.ts'

// biome-ignore lint/suspicious/noExplicitAny: packages outside of the tree have no types here
type Package = any

const root = join(clientCache(), folderOf(responsesClients), 'package.json')
const load = async (name: string): Promise<Package> =>
  await import(pathToFileURL(createRequire(root).resolve(name)).href)

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

const sessions = async () => (await gateway.get('/api/sessions')).sessions

type Connect = (url?: string) => Promise<Package>

const connectOpenAi: Connect = async (url = gateway.url) =>
  (await load('@ai-sdk/openai')).createOpenAI({ baseURL: `${url}/v1`, apiKey: 'k' }).responses('demo')

const PROVIDERS: readonly (readonly [string, Connect, object])[] = [
  ['openai', connectOpenAi, {}],
  ['openai without a store', connectOpenAi, { openai: { store: false } }],
  [
    'open-responses',
    async (url = gateway.url) =>
      (await load('@ai-sdk/open-responses')).createOpenResponses({
        name: 'toolwire',
        url: `${url}/v1/responses`,
        apiKey: 'k',
      })('demo'),
    {},
  ],
]

describe.each(PROVIDERS)('the AI SDK over %s', (_name, connect, providerOptions) => {
  const options = async (prompt: string) => {
    const { stepCountIs, tool } = await load('ai')
    const { z } = await load('zod')
    const weather = createWeather()
    const inputSchema = z.object({ city: z.string() })
    const tools = { weather: tool({ inputSchema, execute: weather.run }) }
    const model = await connect()
    return { weather, model, prompt, providerOptions, tools, stopWhen: stepCountIs(5), maxRetries: 0 }
  }

  test('generates with parallel calls in one session', async () => {
    const { generateText } = await load('ai')
    const { weather, ...rest } = await options(PARALLEL)
    const result = await generateText(rest)
    expect(result.text).toBe(FOUND)
    expect(weather.asked).toEqual(['Paris', 'Oslo'])
    expect(await sessions()).toHaveLength(1)
    expect(gateway.model.requests).toHaveLength(2)
  })

  test('streams thinking, parallel calls and text', async () => {
    const { streamText } = await load('ai')
    const { weather: _, ...rest } = await options(`think, ${PARALLEL}`)
    const result = streamText(rest)
    const types: string[] = []
    for await (const part of result.fullStream) types.push(part.type)
    expect(types).not.toContain('error')
    expect(types).toContain('reasoning-delta')
    expect(await result.text).toBe(FOUND)
  })

  test('reports a cut answer, and an error before and after output', async () => {
    const { generateText, streamText } = await load('ai')
    const { weather: _, ...rest } = await options('say x and length')
    expect((await generateText(rest)).finishReason).toBe('length')
    // open-responses takes errors without `param` for no errors of the API, and gives the status alone.
    const failed = generateText({ ...rest, prompt: 'fail model_overloaded 529' })
    await expect(failed).rejects.toMatchObject({ statusCode: 503 })
    const late = streamText({ ...rest, prompt: 'fail model_overloaded 529 late', onError() {} })
    const types: string[] = []
    for await (const part of late.fullStream) {
      types.push(part.type)
      if (part.type === 'text-delta') gateway.model.open()
    }
    expect(types).toContain('error')
  })
})

describe.each(PROVIDERS)('the AI SDK over %s', (name, connect, providerOptions) => {
  test('gets a refusal without an error', async () => {
    const { generateText, streamText } = await load('ai')
    const asked = { model: await connect(), prompt: 'decline not this', providerOptions, maxRetries: 0 }
    const whole = await generateText(asked)
    const streamed = streamText(asked)
    // The stream of open-responses shows no refusals.
    const shown = name === 'open-responses' ? '' : 'not this'
    expect([whole.text, await streamed.text]).toEqual(['not this', shown])
  })

  test('ends without an error when another client cancels its response', async () => {
    const { streamText } = await load('ai')
    const model = await connect()
    const { fullStream } = streamText({ model, prompt: 'hang', providerOptions, maxRetries: 0 })
    const parts: Package[] = []
    for await (const part of fullStream) {
      parts.push(part)
      if (part.type !== 'text-delta') continue
      const [{ id }] = await sessions()
      await gateway.post(`/api/sessions/${id}/cancel`, {})
    }
    expect(parts.map(part => part.type)).not.toContain('error')
    expect(parts.find(part => part.type === 'finish')).toMatchObject({ finishReason: 'other' })
  })
})

describe.each(PROVIDERS)('the AI SDK over %s, on a server that was restarted', (_name, connect, providerOptions) => {
  test('takes a conversation up while its call waits', async () => {
    const { generateText, tool } = await load('ai')
    const { z } = await load('zod')
    const store = createMemoryStore()
    const first = await startGateway({ store })
    const tools = { weather: tool({ inputSchema: z.object({ city: z.string() }) }) }
    const prompt = { role: 'user', content: 'call weather@Rome' }
    const ask = async (url: string, messages: unknown[]) =>
      await generateText({ model: await connect(url), messages, tools, providerOptions })
    const asked = await ask(first.url, [prompt])
    await first.close()
    const second = await startGateway({ store })
    const [call] = asked.toolCalls
    const result = {
      type: 'tool-result',
      toolCallId: call.toolCallId,
      toolName: 'weather',
      output: { type: 'text', value: 'rain' },
    }
    const done = await ask(second.url, [
      prompt,
      ...asked.response.messages,
      { role: 'tool', content: [result] },
    ])
    expect(done.text).toBe('got rain')
    expect((await second.get('/api/sessions')).sessions).toHaveLength(1)
    await second.close()
    await store.close()
  })

  test('reports a connection that breaks in the middle of an answer', async () => {
    const { streamText } = await load('ai')
    const model = await connect()
    const read = async () => {
      const { fullStream } = streamText({ model, prompt: 'hang', providerOptions, maxRetries: 0, onError() {} })
      for await (const part of fullStream) {
        if (part.type === 'error') throw part.error
        if (part.type === 'text-delta') gateway.server.closeAllConnections()
      }
    }
    await expect(read()).rejects.toThrow()
  })
})

describe('the AI SDK over openai', () => {
  const connect = async () => (await load('@ai-sdk/openai')).createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'k' })

  test('continues by the id of a response, in every step of a loop', async () => {
    const { generateText, stepCountIs, tool } = await load('ai')
    const { z } = await load('zod')
    const openai = await connect()
    const first = await generateText({ model: openai.responses('demo'), prompt: 'say a' })
    const previousResponseId = first.providerMetadata.openai.responseId
    const weather = createWeather()
    const second = await generateText({
      model: openai.responses('demo'),
      prompt: 'call weather@Rome',
      providerOptions: { openai: { previousResponseId } },
      tools: { weather: tool({ inputSchema: z.object({ city: z.string() }), execute: weather.run }) },
      stopWhen: stepCountIs(3),
    })
    expect(second.text).toBe('got sunny in Rome')
    expect(gateway.model.requests.at(-1)?.messages.map(message => message.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'tool',
    ])
  })

  test('continues a conversation, whose message it repeats with the results', async () => {
    const { generateText, stepCountIs, tool } = await load('ai')
    const { z } = await load('zod')
    const openai = await connect()
    const { id } = await gateway.openai.conversations.create({})
    const weather = createWeather()
    const ask = (prompt: string) =>
      generateText({
        model: openai.responses('demo'),
        prompt,
        providerOptions: { openai: { conversation: id } },
        tools: { weather: tool({ inputSchema: z.object({ city: z.string() }), execute: weather.run }) },
        stopWhen: stepCountIs(3),
      })
    expect((await ask('call weather@Rome')).text).toBe('got sunny in Rome')
    expect((await ask('say b')).text).toBe('b')
    const last = gateway.model.requests.at(-1)?.messages ?? []
    expect(last.filter(message => message.role === 'user')).toHaveLength(2)
    expect(await sessions()).toHaveLength(1)
  })

  test('runs shell, patch and freeform tools', async () => {
    const { generateText, stepCountIs } = await load('ai')
    const openai = await connect()
    const seen: unknown[] = []
    const ask = (prompt: string, tools: object) =>
      generateText({ model: openai.responses('demo'), prompt, tools, stopWhen: stepCountIs(2), maxRetries: 0 })
    const shell = openai.tools.shell({
      execute: async ({ action }: { action: object }) => {
        seen.push(action)
        return { output: [{ stdout: 'listed', stderr: '', outcome: { type: 'exit', exitCode: 0 } }] }
      },
    })
    const listed = await ask('write shell {"commands":["ls"]}', { shell })
    expect(listed.text).toContain('listed')
    const apply_patch = openai.tools.applyPatch({
      execute: async ({ operation }: { operation: object }) => {
        seen.push(operation)
        return { status: 'completed', output: 'patched' }
      },
    })
    const patched = await ask('write apply_patch {"type":"create_file","path":"a","diff":"+x"}', { apply_patch })
    expect(patched.text).toContain('patched')
    expect(seen).toMatchObject([{ commands: ['ls'] }, { type: 'create_file', path: 'a', diff: '+x' }])
  })
})

describe('LangChain', () => {
  const connect = async (url = gateway.url) => {
    const { ChatOpenAI } = await load('@langchain/openai')
    return new ChatOpenAI({
      model: 'demo',
      apiKey: 'k',
      useResponsesApi: true,
      maxRetries: 0,
      configuration: { baseURL: `${url}/v1` },
    })
  }
  const weather = {
    type: 'function',
    function: {
      name: 'weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  }

  test('makes a round trip with parallel calls', async () => {
    const model = (await connect()).bindTools([weather])
    const { HumanMessage, ToolMessage } = await load('@langchain/core/messages')
    const human = new HumanMessage(`think, ${PARALLEL}`)
    const first = await model.invoke([human])
    expect(first.tool_calls.map((call: Package) => call.args.city)).toEqual(['Paris', 'Oslo'])
    const results = first.tool_calls.map(
      (call: Package) => new ToolMessage({ tool_call_id: call.id, content: `sunny in ${call.args.city}` }),
    )
    const second = await model.invoke([human, first, ...results])
    expect(second.text).toBe(FOUND)
    expect(await sessions()).toHaveLength(1)
  })

  test('streams text, and throws a failure', async () => {
    const model = await connect()
    let text = ''
    for await (const chunk of await model.stream('say hello world')) text += chunk.text
    expect(text).toBe('hello world')
    await expect(model.invoke('fail model_overloaded 529')).rejects.toThrow('No.')
    const late = async () => {
      for await (const _ of await model.stream('fail model_overloaded 529 late')) gateway.model.open()
    }
    await expect(late()).rejects.toThrow('No.')
  })

  test('gets a refusal, and the end of an answer that was cancelled', async () => {
    const model = await connect()
    const refused = await model.invoke('decline not this')
    expect(JSON.stringify(refused)).toContain('not this')
    let text = ''
    for await (const chunk of await model.stream('hang')) {
      text += chunk.text
      const [one] = (await gateway.get('/api/sessions?limit=1')).sessions
      if (text !== '') await gateway.post(`/api/sessions/${one.id}/cancel`, {})
    }
    expect(text).toBe('half ')
  })

  test('reports an answer that was cut by its limit, and a connection that breaks', async () => {
    const model = await connect()
    const cut = await model.invoke('say x and length')
    expect(cut.response_metadata).toMatchObject({ incomplete_details: { reason: 'max_output_tokens' } })
    const broken = async () => {
      for await (const _ of await model.stream('hang')) gateway.server.closeAllConnections()
    }
    await expect(broken()).rejects.toThrow()
  })

  test('continues on a restarted server, with its messages and by the id of a response', async () => {
    const { HumanMessage, ToolMessage } = await load('@langchain/core/messages')
    const store = createMemoryStore()
    const first = await startGateway({ store })
    const human = new HumanMessage('call weather@Rome')
    const asked = await (await connect(first.url)).bindTools([weather]).invoke([human])
    await first.close()
    const second = await startGateway({ store })
    const model = (await connect(second.url)).bindTools([weather])
    const result = new ToolMessage({ tool_call_id: asked.tool_calls[0].id, content: 'rain' })
    const done = await model.invoke([human, asked, result])
    expect(done.text).toBe('got rain')
    const next = await model.invoke('say and now', { previous_response_id: done.response_metadata.id })
    expect(next.text).toBe('and now')
    expect((await second.get('/api/sessions')).sessions).toHaveLength(1)
    await second.close()
    await store.close()
  })
})
