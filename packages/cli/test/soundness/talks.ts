/** The kinds of sessions that clients hold: each goes to its end, and throws when it ends in another way than it should. */
import type { Taken } from './found-again.ts'

export interface Talk {
  /** Part of every text that must be there once. */
  readonly id: string
  /**
   * A request that is made again, under one key, until it is answered and `isWhole` takes the answer.
   * Throws for a refusal.
   */
  readonly ask: (
    path: string,
    body?: object,
    isWhole?: (text: string) => boolean,
  ) => Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }>
  /** A server has acknowledged this: it must be in the log, whatever happens afterwards. */
  readonly took: (taken: Taken) => void
}

const isDone = (text: string): boolean => text.includes('"type":"done"')

/** What there is to read in the workspace. */
export const NOTES = { file: 'notes.txt', text: 'a line that is there to be read' }
/** Each write that is asked for adds a line to it. */
export const EFFECTS = 'effects.txt'

async function say(talk: Talk, session_id: string, message: string, more: object = {}): Promise<string> {
  const { text } = await talk.ask('/api/chat/stream', { session_id, message, ...more }, isDone)
  talk.took({ type: 'message', text: message })
  return text
}

/** Asks for something that only the workspace has. */
async function learn(talk: Talk, message: string): Promise<void> {
  const text = await say(talk, await newSession(talk), message)
  if (!text.includes(NOTES.text)) throw new Error(`nothing was read: ${text.slice(-600)}`)
}

/** A long answer through a vendor's wire, all of which `textOf` finds in what came. */
async function relay(
  talk: Talk,
  path: string,
  form: { readonly isWhole: (text: string) => boolean; readonly textOf: (text: string) => string },
  more: object = {},
): Promise<void> {
  const message = `/long 40 ${talk.id}`
  const said =
    path === '/v4/response' ? { input: message } : { messages: [{ role: 'user', content: message }] }
  const { text } = await talk.ask(path, { model: 'demo', ...said, ...more }, form.isWhole)
  talk.took({ type: 'message', text: message })
  talk.took({ type: 'answer', message, text: form.textOf(text) })
}

const COMPLETIONS = '/v1/chat/completions'
const MESSAGES = '/v1/messages'
const THREAD = '/v4/response'

export const KINDS = {
  chat: async (talk: Talk) => {
    const session = await newSession(talk)
    await say(talk, session, `/long 60 ${talk.id}`)
    await say(talk, session, `/think ${talk.id}`)
  },
  reading: (talk: Talk) => learn(talk, `read ${NOTES.file} ${talk.id}`),
  subagent: (talk: Talk) => learn(talk, `ask a subagent to read ${NOTES.file} ${talk.id}`),
  thread: (talk: Talk) =>
    relay(talk, THREAD, { isWhole: text => text.includes('"outputs"'), textOf: outputsText }),
  threadStream: (talk: Talk) =>
    relay(
      talk,
      THREAD,
      {
        isWhole: text => text.includes('event: conversation.completed'),
        // Interrupted text is sent again.
        textOf: text =>
          dataOf(text, 'text.completed')
            .flatMap(one => (one['aborted'] === true ? [] : [String(one['content'])]))
            .join(''),
      },
      { stream: true },
    ),
  completions: (talk: Talk) =>
    relay(talk, COMPLETIONS, {
      isWhole: text => text.includes('"finish_reason"'),
      textOf: text => (JSON.parse(text) as Completion).choices[0]?.message?.content ?? '',
    }),
  completionsStream: (talk: Talk) =>
    relay(
      talk,
      COMPLETIONS,
      { isWhole: text => text.includes('[DONE]'), textOf: streamedText },
      { stream: true },
    ),
  messages: (talk: Talk) =>
    relay(
      talk,
      MESSAGES,
      {
        isWhole: text => text.includes('"stop_reason"'),
        textOf: text => (JSON.parse(text) as Message).content.map(block => block.text ?? '').join(''),
      },
      { max_tokens: 10_000 },
    ),
  messagesStream: (talk: Talk) =>
    relay(
      talk,
      MESSAGES,
      { isWhole: text => text.includes('event: message_stop'), textOf: streamedText },
      { max_tokens: 10_000, stream: true },
    ),
  client: async (talk: Talk) => {
    // None of the server's tools, so that the only one there is the page's.
    const session = await newSession(talk, { tools: [] })
    const tools = [
      { name: 'show_note', input_schema: { type: 'object', properties: { text: { type: 'string' } } } },
    ]
    await say(talk, session, `/client ${talk.id}`, { tools })
    const call_id = await waitFor(talk, session, 'call_id')
    const output = `shown ${talk.id}`
    await talk.ask(`/api/sessions/${session}/tool_outputs`, { tool_outputs: [{ call_id, output }] })
    talk.took({ type: 'output', call_id, text: output })
    await rest(talk, session)
  },
  approval: async (talk: Talk) => {
    const session = await newSession(talk)
    await say(talk, session, `run \`echo ${talk.id} >> ${EFFECTS}\``)
    const approval_id = await waitFor(talk, session, 'id')
    await talk.ask(`/api/approvals/${approval_id}`, { decision: 'approved' })
    talk.took({ type: 'approval', approval_id })
    await rest(talk, session)
  },
} satisfies Record<string, (talk: Talk) => Promise<void>>

export type Kind = keyof typeof KINDS

interface Completion {
  readonly choices: readonly {
    readonly message?: { readonly content?: string }
    readonly delta?: { readonly content?: string }
  }[]
}

interface Message {
  readonly content: readonly { readonly text?: string }[]
}

const outputsText = (text: string): string =>
  (JSON.parse(text) as { readonly outputs: readonly { readonly text?: string }[] }).outputs
    .map(one => one.text ?? '')
    .join('')

/** The values of all frames of a stream, or of those with one name; an incomplete frame is dropped. */
function dataOf(stream: string, event?: string): readonly Readonly<Record<string, unknown>>[] {
  return stream
    .split('\n\n')
    .slice(0, -1)
    .filter(frame => event === undefined || frame.startsWith(`event: ${event}\n`))
    .flatMap(frame => /^data: (\{.+)$/m.exec(frame)?.[1] ?? [])
    .map(data => JSON.parse(data) as Readonly<Record<string, unknown>>)
}

/** What a stream of a vendor's wire has said, whole or not. */
export function streamedText(stream: string): string {
  return dataOf(stream)
    .map(data => {
      const { choices } = data as Partial<Completion>
      const { delta } = data as { readonly delta?: { readonly text?: string } }
      return choices?.[0]?.delta?.content ?? delta?.text ?? ''
    })
    .join('')
}

const newSession = async (talk: Talk, body: object = {}): Promise<string> =>
  (JSON.parse((await talk.ask('/api/sessions', body)).text) as { readonly id: string }).id

interface View {
  readonly status: string
  readonly pending: readonly Readonly<Record<string, unknown>>[]
}

async function view(talk: Talk, session: string): Promise<View> {
  return JSON.parse((await talk.ask(`/api/sessions/${session}`)).text) as View
}

/** The id of what the session waits for. */
async function waitFor(talk: Talk, session: string, field: string): Promise<string> {
  for (let i = 0; i < 1000; i++) {
    const { pending } = await view(talk, session)
    const id = pending[0]?.[field]
    if (typeof id === 'string') return id
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  throw new Error(`${session}: nothing to answer`)
}

/** Resolves when the session is idle. */
async function rest(talk: Talk, session: string): Promise<void> {
  for (let i = 0; i < 2000; i++) {
    const { status, pending } = await view(talk, session)
    if (status === 'idle' && pending.length === 0) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  throw new Error(`${session}: never came to rest`)
}
