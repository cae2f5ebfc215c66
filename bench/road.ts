/** One way to request a stream from a server: its route, its body, and the provider API behind it. */

export interface Road {
  readonly name: string
  readonly path: string
  /** The route of one session, where its path names it. */
  readonly pathOf?: (session: string) => string
  /** Its deltas come over a connection beside the request: how long they take cannot be read from the answer. */
  readonly aside?: true
  readonly headers?: Readonly<Record<string, string>>
  /** The model name that routes the request to the wanted provider. */
  readonly model: string
  readonly body: (model: string, session: string | undefined) => object
  /** Sessions are made outside of the measured time. */
  readonly prepare?: (url: string, model: string) => Promise<string>
}

const TEXT = 'Say something.'
/** For agents that stop after a few rounds by default. */
const MANY_ROUNDS = 1000
const user = { role: 'user', content: TEXT }

async function newSession(url: string, model: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/api/sessions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model }),
  })
  if (!response.ok) throw new Error(`no session: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { id: string }).id
}

export const CHAT: Road = {
  name: 'chat wire',
  path: '/api/chat/stream',
  model: 'claude-bench',
  prepare: newSession,
  body: (_, session_id) => ({ session_id, message: TEXT }),
}

export const THREAD: Road = {
  name: 'thread wire',
  path: '/v4/response',
  model: 'claude-bench',
  body: model => ({ model, input: TEXT, stream: true }),
}

/** The wire of `useChat`; the chat is a session that exists. */
export const AI_SDK: Road = {
  name: 'AI SDK wire',
  path: '/api/ai/v7/chat',
  model: 'claude-bench',
  prepare: newSession,
  body: (_, id) => ({ id, messages: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: TEXT }] }] }),
}

/** The wire of CopilotKit; the thread is a session that exists. */
export const AG_UI: Road = {
  name: 'AG-UI wire',
  path: '/ag-ui',
  model: 'claude-bench',
  prepare: newSession,
  body: (_, threadId) => ({ threadId, runId: 'r', messages: [{ id: 'u', role: 'user', content: TEXT }] }),
}

/** OpenAI's newer API. */
export const RESPONSES: Road = {
  name: 'Responses wire',
  path: '/v1/responses',
  model: 'gpt-bench',
  headers: { authorization: 'Bearer k' },
  body: model => ({ model, stream: true, max_output_tokens: 4096, input: TEXT }),
}

/** Claude's API in front of Claude's API. */
export const MESSAGES: Road = {
  name: 'Anthropic → Anthropic',
  path: '/v1/messages',
  model: 'claude-bench',
  headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
  body: model => ({ model, stream: true, max_tokens: 4096, messages: [user] }),
}

/** OpenAI's API in front of OpenAI's API. */
export const COMPLETIONS: Road = {
  name: 'OpenAI → OpenAI',
  path: '/v1/chat/completions',
  model: 'gpt-bench',
  headers: { authorization: 'Bearer k' },
  body: model => ({ model, stream: true, max_tokens: 4096, messages: [user] }),
}

/** OpenAI's API in front of Claude's: everything is translated. */
export const TRANSLATED: Road = { ...COMPLETIONS, name: 'OpenAI → Anthropic', model: 'claude-bench' }

/** Claude's API in front of OpenAI's. */
export const TRANSLATED_BACK: Road = { ...MESSAGES, name: 'Anthropic → OpenAI', model: 'gpt-bench' }

export const UI_MESSAGES: Road = {
  name: 'UI message stream',
  path: '/api/chat',
  model: 'claude-bench',
  body: model => ({ model, messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: TEXT }] }] }),
}

export const MASTRA: Road = {
  name: 'agent stream',
  path: '/api/agents/a/stream',
  model: 'claude-bench',
  body: model => ({ messages: [user], requestContext: { model }, maxSteps: MANY_ROUNDS }),
}

export const LANGGRAPH: Road = {
  name: 'run stream',
  path: '/runs/stream',
  model: 'claude-bench',
  body: model => ({
    assistant_id: 'agent',
    input: { messages: [user] },
    // It counts the model and the tools of a round separately.
    config: { configurable: { model }, recursion_limit: 2 * MANY_ROUNDS },
    stream_mode: ['messages-tuple'],
  }),
}

/** The one connection over which a server sends the events of all sessions. */
const followed = new Map<string, Promise<void>>()

async function followAll(url: string): Promise<void> {
  await untilAnswered(`${url}/session`)
  const { body } = await fetch(`${url}/event`)
  void body?.pipeTo(new WritableStream()).catch(() => followed.delete(url))
}

const TRIES = 20
const PATIENCE_MS = 5000

/** Its port opens before it is ready: an early request never gets a response. */
async function untilAnswered(url: string): Promise<void> {
  for (let i = 0; i < TRIES; i++)
    try {
      await (await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })).text()
      return
    } catch {}
  throw new Error(`${url} was never answered`)
}

export const OPENCODE: Road = {
  name: 'session, events aside',
  path: '/session',
  pathOf: session => `/session/${session}/message`,
  aside: true,
  model: 'claude-bench',
  async prepare(url) {
    const following = followed.get(url) ?? followAll(url)
    followed.set(url, following)
    await following
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${url}/session`, { method: 'POST', headers, body: '{}' })
    return ((await response.json()) as { id: string }).id
  },
  body: modelID => ({ model: { providerID: 'bench', modelID }, parts: [{ type: 'text', text: TEXT }] }),
}
