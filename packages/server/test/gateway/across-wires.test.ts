/** One session through several vendor wires: begun over one, watched over others, continued over a third. */
import { expect, test } from 'vitest'
import { chatTool, startGateway } from './gateway-server.ts'
import { readData } from './sse.ts'

const tool = { type: 'function' as const, name: 'get_weather', parameters: {}, strict: false }

test('is begun over Responses, watched over chat and thread, and continued over Messages', async () => {
  const gateway = await startGateway()
  try {
    const { openai, anthropic, url, model } = gateway
    const create = async (
      input: Parameters<typeof openai.responses.create>[0]['input'],
      previous?: string,
    ) => {
      const stream = openai.responses.stream({
        model: 'demo',
        ...(input === undefined ? {} : { input }),
        tools: [tool],
        ...(previous === undefined ? {} : { previous_response_id: previous }),
      })
      return await stream.finalResponse()
    }
    const first = await create('say wait and call get_weather@Paris')
    const call = first.output.find(item => item.type === 'function_call')
    const call_id = call?.call_id ?? ''
    const second = await create([{ type: 'function_call_output', call_id, output: 'sunny' }], first.id)
    expect(second.output_text).toBe('got sunny')

    const [session = {}] = (await gateway.get('/api/sessions')).sessions
    const watch = async (wire: string) => {
      const data = await readData(await fetch(`${url}/api/sessions/${session.id}/events?wire=${wire}`))
      return JSON.stringify(data)
    }
    for (const wire of ['chat', 'thread', 'canonical', 'openai-chat', 'anthropic-messages']) {
      const seen = await watch(wire)
      expect(seen, wire).toContain(call_id)
      expect(seen, wire).toContain('get_weather')
      // Words come in pieces.
      expect(seen, wire).toMatch(/sunny|nny/)
    }

    const answer = await anthropic.messages.create(
      { model: 'demo', max_tokens: 100, messages: [{ role: 'user', content: 'say and now' }] },
      { headers: { 'x-session-id': session.id } },
    )
    expect(answer.content).toMatchObject([{ type: 'text', text: 'and now' }])
    expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
    const seen = JSON.stringify(model.requests.at(-1)?.messages)
    for (const words of ['call get_weather@Paris', 'got sunny', 'say and now']) expect(seen).toContain(words)
    expect(await watch('openai-responses')).toContain('and now')

    // The first wire continues what the third one added.
    const third = await openai.responses.create(
      { model: 'demo', input: 'say back', tools: [tool] },
      { headers: { 'x-session-id': session.id } },
    )
    expect(third.output_text).toBe('back')
    expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('and now')
  } finally {
    await gateway.close()
  }
})

test('a pause of one wire is answered over another', async () => {
  const gateway = await startGateway()
  try {
    const { openai, anthropic, model } = gateway
    const asked = { role: 'user' as const, content: 'call get_weather@Paris' }
    const { choices } = await openai.chat.completions.create({
      model: 'demo',
      messages: [asked],
      tools: [chatTool('get_weather')],
    })
    const call = choices[0]?.message.tool_calls?.[0]
    const id = call?.id ?? ''
    const answer = await anthropic.messages.create({
      model: 'demo',
      max_tokens: 100,
      tools: [{ name: 'get_weather', input_schema: { type: 'object' } }],
      messages: [
        asked,
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id, name: 'get_weather', input: { city: 'Paris' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'sunny' }] },
      ],
    })
    expect(answer.content).toMatchObject([{ type: 'text', text: 'got sunny' }])
    expect(model.requests).toHaveLength(2)
  } finally {
    await gateway.close()
  }
})
