/** The kinds of sessions that clients hold: each goes to its end, and throws when it ends in another way than it should. */
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
}

export type Kind = 'chat' | 'thread' | 'gateway' | 'client' | 'approval'

const isDone = (text: string): boolean => text.includes('"type":"done"')

export const KINDS: Readonly<Record<Kind, (talk: Talk) => Promise<void>>> = {
  chat: async talk => {
    const session_id = await newSession(talk)
    await talk.ask('/api/chat/stream', { session_id, message: '/long 60' }, isDone)
    await talk.ask('/api/chat/stream', { session_id, message: '/think' }, isDone)
  },
  thread: async talk => {
    const isEnd = (text: string): boolean => /event: response\.(completed|failed)|"status"/.test(text)
    await talk.ask('/v4/response', { input: `/long 40 ${talk.id}`, stream: false }, isEnd)
  },
  gateway: async talk => {
    const body = { model: 'demo', messages: [{ role: 'user', content: `/long 40 ${talk.id}` }] }
    await talk.ask('/v1/chat/completions', body, text => text.includes('"finish_reason"'))
  },
  client: async talk => {
    // None of the server's tools, so that the only one there is the page's.
    const session_id = await newSession(talk, { tools: [] })
    const tools = [
      { name: 'show_note', input_schema: { type: 'object', properties: { text: { type: 'string' } } } },
    ]
    await talk.ask('/api/chat/stream', { session_id, message: '/client hello', tools }, isDone)
    const call_id = await waitFor(talk, session_id, 'call_id')
    const tool_outputs = [{ call_id, output: `shown ${talk.id}` }]
    await talk.ask(`/api/sessions/${session_id}/tool_outputs`, { tool_outputs })
    await rest(talk, session_id)
  },
  approval: async talk => {
    const session_id = await newSession(talk)
    const message = `run \`echo ${talk.id} >> effects.txt\``
    await talk.ask('/api/chat/stream', { session_id, message }, isDone)
    const approval = await waitFor(talk, session_id, 'id')
    await talk.ask(`/api/approvals/${approval}`, { decision: 'approved' })
    await rest(talk, session_id)
  },
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

/** Resolves when nothing goes on in the session. */
async function rest(talk: Talk, session: string): Promise<void> {
  for (let i = 0; i < 2000; i++) {
    const { status, pending } = await view(talk, session)
    if (status === 'idle' && pending.length === 0) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  throw new Error(`${session}: never came to rest`)
}
