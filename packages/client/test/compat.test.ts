/** The official packages, given what `createCompat` builds, against the real server. */
import Anthropic from '@anthropic-ai/sdk'
import { createCompat } from '@toolwire/client/compat'
import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { createClient, type SessionSnapshot } from '../src/index.ts'
import { realServer } from './real-server.ts'

const url = realServer()

describe('the official packages', () => {
  test('openai gets an answer', async () => {
    const openai = new OpenAI(createCompat({ baseUrl: url() }).openai())
    const answer = await openai.chat.completions.create({
      model: 'demo',
      messages: [{ role: 'user', content: 'hello' }],
    })
    expect(answer.choices[0]?.message.content).toMatch(/\w/)
  })

  test('@anthropic-ai/sdk gets an answer, streamed', async () => {
    const anthropic = new Anthropic(createCompat({ baseUrl: `${url()}/` }).anthropic())
    const message = await anthropic.messages
      .stream({ model: 'demo', max_tokens: 500, messages: [{ role: 'user', content: 'hello' }] })
      .finalMessage()
    expect(message.content.map(block => block.type)).toContain('text')
  })

  test('send the key and the further headers to the right place', async () => {
    const sent: { readonly url: string; readonly headers: Headers }[] = []
    const compat = createCompat({
      baseUrl: 'https://tools.example/base/',
      apiKey: 'tw-key',
      headers: () => ({ 'x-team': 'blue' }),
      fetch: async (input, init) => {
        sent.push({ url: String(input), headers: new Headers(init?.headers) })
        return Response.json({ error: { message: 'no' } }, { status: 400 })
      },
    })
    const messages = [{ role: 'user' as const, content: 'hi' }]
    await new OpenAI(compat.openai()).chat.completions.create({ model: 'demo', messages }).catch(() => {})
    await new Anthropic(compat.anthropic()).messages
      .create({ model: 'demo', max_tokens: 5, messages })
      .catch(() => {})
    expect(sent.map(request => request.url)).toEqual([
      'https://tools.example/base/v1/chat/completions',
      'https://tools.example/base/v1/messages',
    ])
    for (const { headers } of sent) {
      expect(headers.get('authorization')).toBe('Bearer tw-key')
      expect(headers.get('x-team')).toBe('blue')
    }
  })
})

/** The AI SDK's chat without a framework around it. */
class Chat extends AbstractChat<UIMessage> {
  constructor(init: ChatInit<UIMessage>) {
    super({ ...init, state: new PlainState() })
  }
}

class PlainState implements ChatState<UIMessage> {
  status: ChatStatus = 'ready'
  error: Error | undefined
  messages: UIMessage[] = []
  pushMessage = (message: UIMessage) => {
    this.messages = [...this.messages, message]
  }
  popMessage = () => {
    this.messages = this.messages.slice(0, -1)
  }
  replaceMessage = (index: number, message: UIMessage) => {
    this.messages = this.messages.with(index, message)
  }
  snapshot = <T>(value: T): T => structuredClone(value)
}

const partsOf = (chat: Chat) => chat.messages.at(-1)?.parts ?? []
const textOf = (chat: Chat) => partsOf(chat).flatMap(part => (part.type === 'text' ? [part.text] : []))
const callsOf = (chat: Chat) => partsOf(chat).filter(part => part.type === 'dynamic-tool')

describe('a chat of the AI SDK', () => {
  async function open(init: Partial<ChatInit<UIMessage>> = {}, tools?: Parameters<typeof transportOf>[0]) {
    const client = createClient({ baseUrl: url() })
    const { id } = await client.sessions.create()
    return { id, client, chat: new Chat({ id, transport: transportOf(tools), ...init }) }
  }
  const transportOf = (options?: Parameters<ReturnType<typeof createCompat>['aiSdkTransport']>[0]) =>
    createCompat({ baseUrl: url() }).aiSdkTransport(options)

  test('shows text and the calls that the server runs, in the steps in which they came', async () => {
    const { chat, client, id } = await open()
    await chat.sendMessage({ text: 'list the files' })
    expect(chat.error).toBeUndefined()
    expect(chat.status).toBe('ready')
    const [call] = callsOf(chat)
    expect(call).toMatchObject({ toolName: 'Bash', state: 'output-available', input: { command: 'ls -la' } })
    expect(JSON.stringify(call?.output)).toContain('README.md')
    expect(partsOf(chat).filter(part => part.type === 'step-start')).toHaveLength(2)
    const { view } = await client.session(id).until(({ view }) => view.turns[0]?.state === 'completed')
    const written = [...view.blocks.values()].filter(block => block.kind === 'text').map(block => block.text)
    expect(textOf(chat)).toEqual(written)
    // The server has the conversation: only the new message goes there.
    await chat.sendMessage({ text: 'hello' })
    expect((await client.sessions.get(id)).conversation_count).toBe(2)
    expect(chat.messages.map(message => message.role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    client.close()
  })

  test.each([
    [true, 'output-available'],
    [false, 'output-denied'],
  ])('asks for approval and continues with the answer (%s)', async (approved, state) => {
    const { chat } = await open({
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    })
    await chat.sendMessage({ text: '/ask' })
    const [asked] = callsOf(chat)
    expect(asked?.state).toBe('approval-requested')
    if (asked?.state !== 'approval-requested') return
    await chat.addToolApprovalResponse({ id: asked.approval.id, approved, reason: 'because' })
    await expect.poll(() => chat.status, { timeout: 60_000 }).toBe('ready')
    await expect.poll(() => callsOf(chat)[0]?.state, { timeout: 60_000 }).toBe(state)
    await expect.poll(() => textOf(chat).length).toBeGreaterThan(0)
    expect(chat.messages).toHaveLength(2)
  })

  test('lets the page run its own tools', async () => {
    const inputs: unknown[] = []
    const { chat } = await open(
      {
        sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
        onToolCall: ({ toolCall }) => {
          if (toolCall.toolName !== 'set_temperature') return
          inputs.push(toolCall.input)
          void chat.addToolOutput({
            tool: 'set_temperature',
            toolCallId: toolCall.toolCallId,
            output: 'warm',
          })
        },
      },
      {
        tools: [
          {
            name: 'set_temperature',
            description: 'Sets the temperature.',
            input_schema: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] },
          },
        ],
      },
    )
    await chat.sendMessage({ text: 'set the temperature to 0.8' })
    await expect.poll(() => partsOf(chat).filter(part => part.type === 'step-start').length).toBe(2)
    await expect.poll(() => chat.status, { timeout: 60_000 }).toBe('ready')
    expect(inputs).toEqual([{ value: 0.8 }])
    expect(callsOf(chat)).toMatchObject([{ state: 'output-available', output: 'warm' }])
  })

  test('resumes a message that is being written, from its start', async () => {
    const { chat, id, client } = await open()
    await client.send(id, 'hello')
    await client.session(id).until(({ view }) => view.turns[0]?.state === 'completed')
    await client.send(id, '/slow 21')
    const written = ({ view }: SessionSnapshot) =>
      (view.messages.get(view.turns[1]?.messages.at(-1) ?? '')?.blocks ?? [])
        .map(block => view.blocks.get(block)?.text ?? '')
        .join('')
    await client.session(id).until(snapshot => written(snapshot) !== '')
    const resumed = chat.resumeStream()
    await expect.poll(() => textOf(chat).join(''), { timeout: 60_000 }).not.toBe('')
    await client.sessions.cancel(id)
    await resumed
    const snapshot = await client.session(id).until(({ view }) => view.turns[1]?.state !== 'running')
    expect(textOf(chat)).toEqual([written(snapshot)])
    // Nothing runs any more: there is nothing to resume.
    expect(await transportOf().reconnectToStream({ chatId: id })).toBeNull()
    client.close()
  })

  test('stops the run when it is stopped, and shows what went wrong', async () => {
    const { chat, id, client } = await open()
    const sending = chat.sendMessage({ text: '/slow 60' })
    await client.session(id).until(({ view }) => view.phase === 'running' && view.active.length === 0)
    await expect.poll(() => chat.status).toBe('streaming')
    await chat.stop()
    await sending
    const { view } = await client.session(id).until(({ view }) => view.phase === 'idle')
    expect(view.turns[0]?.state).toBe('cancelled')
    await chat.sendMessage({ text: '/fail model_invalid_request' })
    expect(chat.status).toBe('error')
    expect(chat.error?.message).toMatch(/\w/)
    client.close()
  })
})
