/** A client of each wire that asks for the weather with one tool, and brings the result in a second request. */
import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import { chatTool, type Gateway } from './gateway-server.ts'
import { readData } from './sse.ts'

const QUESTION = 'What is the weather in Paris?'
const RESULT = 'sunny'
const { parameters } = chatTool('get_weather').function
const description = 'Get the weather of a city'

export interface WireClient {
  /** Sends the question. */
  readonly ask: (gateway: Gateway, model: string) => Promise<AskedWeather>
}

interface AskedWeather {
  readonly calls: readonly string[]
  /** Sends the result of every call to a gateway, and resolves with the last words; `session` names one outright. */
  readonly answer: (gateway: Gateway, session?: string) => Promise<string>
}

const named = (session: string | undefined) =>
  session === undefined ? {} : { headers: { 'x-session-id': session } }

const chatCompletions: WireClient = {
  async ask({ openai }, model) {
    const tools = [{ type: 'function' as const, function: { name: 'get_weather', description, parameters } }]
    const asked = { role: 'user' as const, content: QUESTION }
    const create = (client: OpenAI, messages: OpenAI.ChatCompletionMessageParam[], session?: string) =>
      client.chat.completions.stream({ model, messages, tools }, named(session)).finalMessage()
    const first = await create(openai, [asked])
    const calls = (first.tool_calls ?? []).map(({ id }) => id)
    const results = calls.map(tool_call_id => ({ role: 'tool' as const, tool_call_id, content: RESULT }))
    return {
      calls,
      answer: async (gateway, session) =>
        (await create(gateway.openai, [asked, first, ...results], session)).content ?? '',
    }
  },
}

const messages: WireClient = {
  async ask({ anthropic }, model) {
    const body = {
      model,
      max_tokens: 500,
      tools: [{ name: 'get_weather', description, input_schema: parameters as { type: 'object' } }],
    }
    const asked = { role: 'user' as const, content: QUESTION }
    const create = (client: Anthropic, sent: Anthropic.MessageParam[], session?: string) =>
      client.messages.stream({ ...body, messages: sent }, named(session)).finalMessage()
    const first = await create(anthropic, [asked])
    const calls = first.content.flatMap(one => (one.type === 'tool_use' ? [one.id] : []))
    const content = calls.map(id => ({ type: 'tool_result' as const, tool_use_id: id, content: RESULT }))
    const all = [
      asked,
      { role: 'assistant' as const, content: first.content },
      { role: 'user' as const, content },
    ]
    return {
      calls,
      async answer(gateway, session) {
        const last = await create(gateway.anthropic, all, session)
        return last.content.map(one => (one.type === 'text' ? one.text : '')).join('')
      },
    }
  },
}

const responses: WireClient = {
  async ask({ openai }, model) {
    const tools = [{ type: 'function' as const, name: 'get_weather', description, parameters, strict: false }]
    const first = await openai.responses.stream({ model, input: QUESTION, tools }).finalResponse()
    const calls = first.output.flatMap(item => (item.type === 'function_call' ? [item.call_id] : []))
    const input = calls.map(call_id => ({ type: 'function_call_output' as const, call_id, output: RESULT }))
    return {
      calls,
      async answer(gateway, session) {
        const previous = session === undefined ? { previous_response_id: first.id } : {}
        const body = { model, input, tools, ...previous }
        return (await gateway.openai.responses.stream(body, named(session)).finalResponse()).output_text
      },
    }
  },
}

const chat: WireClient = {
  async ask(gateway, model) {
    const tools = [{ name: 'get_weather', description, input_schema: parameters }]
    const created = await (await gateway.post('/api/sessions', { model })).json()
    const { id } = created.session ?? created
    const body = { session_id: id, message: QUESTION, model, tools }
    const frames = await readData(await gateway.post('/api/chat/stream', body))
    const calls = frames.filter(frame => frame.type === 'tool_use').map(frame => frame.tool.id as string)
    const tool_outputs = calls.map(tool_use_id => ({ tool_use_id, output: RESULT }))
    return {
      calls,
      async answer({ post }, session = id) {
        const last = await readData(await post('/api/chat/stream', { session_id: session, tool_outputs }))
        return last.find(frame => frame.type === 'result')?.data.result ?? ''
      },
    }
  },
}

export const WIRE_CLIENTS: Readonly<Record<string, WireClient>> = {
  'openai-chat': chatCompletions,
  'anthropic-messages': messages,
  'openai-responses': responses,
  chat,
}
