/**
 * One message through each wire, streamed and whole, and what its client got: the text, the calls, or an error
 * in that wire's own words. A second message goes to the same session.
 */
import { type EventOf, endsRun, type SessionEvent } from '@toolwire/core'

// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
type Loose = any

export interface Got {
  /** The session that was used, to be used again. */
  readonly session: string
  /** HTTP status of the answer. */
  readonly status: number
  readonly text: string
  /** Names and arguments of the calls that the client is to run. */
  readonly calls: readonly (readonly [string, unknown])[]
  /** The code or type of the error, in the words of the wire; undefined when all went well. */
  readonly error?: string | undefined
  readonly message?: string | undefined
  /** The answer ended the way this wire's good answers end. */
  readonly isWhole: boolean
  readonly warnings: readonly Loose[]
}

interface Asked {
  readonly url: string
  readonly model: string
  readonly text: string
  readonly session?: string
  readonly limits?: Limits
  /** Further fields of the body. */
  readonly more?: Readonly<Record<string, unknown>>
  readonly tools?: readonly { readonly name: string; readonly input_schema: Record<string, unknown> }[]
}

export interface Limits {
  readonly max_duration_ms?: number
  readonly max_total_tokens?: number
  readonly fallback_models?: readonly string[]
}

export type Wire = (asked: Asked) => Promise<Got>

const json = async (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** The events of a stream; a connection that breaks is told as one. */
async function events(response: Response): Promise<readonly { event: string; data: string }[]> {
  const text = await response.text().catch(() => 'event: broken\ndata: broken\n\n')
  return text.split('\n\n').flatMap(frame => {
    const field = (name: string): string =>
      frame
        .split('\n')
        .filter(line => line.startsWith(`${name}: `))
        .map(line => line.slice(name.length + 2))
        .join('\n')
    const data = field('data')
    return data === '' ? [] : [{ event: field('event'), data }]
  })
}

const parsed = (list: readonly { readonly data: string }[]): readonly Loose[] =>
  list.filter(one => one.data !== '[DONE]' && one.data !== 'broken').map(one => JSON.parse(one.data))

async function sessionFor({ url, model, session }: Asked): Promise<{ id?: string; refused?: Response }> {
  if (session !== undefined) return { id: session }
  const response = await json(`${url}/api/sessions`, { model, tools: [] })
  if (response.status !== 201) return { refused: response }
  return { id: ((await response.json()) as { id: string }).id }
}

const refusal = async (response: Response, session = ''): Promise<Got> => {
  const { error } = (await response.json()) as Loose
  return {
    session,
    status: response.status,
    text: '',
    calls: [],
    error: error.code ?? error.type,
    message: error.message,
    isWhole: false,
    warnings: [],
  }
}

async function chat(asked: Asked): Promise<Got> {
  const { id = '', refused } = await sessionFor(asked)
  if (refused) return await refusal(refused)
  const { url, text, model, tools, limits } = asked
  const body = { session_id: id, message: text, model, tools, ...limits }
  const response = await json(`${url}/api/chat/stream`, body)
  if (response.status !== 200) return await refusal(response, id)
  const frames = parsed(await events(response))
  const result = frames.find(frame => frame.type === 'result')?.data
  const error = frames.find(frame => frame.type === 'error')
  return {
    session: id,
    status: response.status,
    text: result?.subtype === 'success' ? result.result : '',
    calls: (frames.find(frame => frame.type === 'paused')?.pending_tools ?? []).map((one: Loose) => [
      one.name,
      one.input,
    ]),
    error: error?.code,
    message: error?.error,
    isWhole: frames.at(-1)?.type === 'done',
    warnings: frames.flatMap(frame => frame.data?.warnings ?? []),
  }
}

/** The log itself, as GET …/events tells it after the message was appended through the chat route. */
async function canonical(asked: Asked): Promise<Got> {
  const { id = '', refused } = await sessionFor(asked)
  if (refused) return await refusal(refused)
  const { url, text, model, tools, limits } = asked
  const before = asked.session === undefined ? 0 : ends(await readLog(url, id)).length
  const body = { session_id: id, message: text, model, tools, ...limits }
  const sent = await json(`${url}/api/chat/stream`, body)
  if (sent.status !== 200) return await refusal(sent, id)
  const leave = new AbortController()
  const { signal } = leave
  const response = await fetch(`${url}/api/sessions/${id}/events?wire=canonical&after=0`, { signal })
  const seen: Loose[] = []
  let end: Loose
  for await (const event of live(response)) {
    seen.push(event)
    end = ends(seen)[before]
    if (end) break
  }
  leave.abort()
  await sent.text()
  return {
    session: id,
    status: response.status,
    text: end?.type === 'run.completed' ? end.result_text : '',
    calls: (end?.pending ?? []).map((one: Loose) => [one.name, toInput(one.input_text)]),
    error: end?.error?.code,
    message: end?.error?.message,
    isWhole: end !== undefined,
    warnings: seen.flatMap(one => (one.type === 'message.started' ? (one.warnings ?? []) : [])),
  }
}

async function* live(response: Response): AsyncGenerator<Loose> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    rest += decoder.decode(chunk as Uint8Array, { stream: true })
    const frames = rest.split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) {
      const line = frame.split('\n').find(one => one.startsWith('data: '))
      if (line) yield JSON.parse(line.slice(6))
    }
  }
}

const threadStream: Wire = async asked => {
  const { url, text, model, session, tools, limits } = asked
  const body = { input: text, model, stream: true, thread_id: session, tools, ...limits }
  const response = await json(`${url}/v4/response`, body)
  if (response.status !== 200) return await refusal(response, session)
  const frames = await events(response)
  const of = (name: string): readonly Loose[] => parsed(frames.filter(frame => frame.event === name))
  const [completed, paused, error] = ['completed', 'paused', 'error'].map(
    name => of(`conversation.${name}`)[0],
  )
  const texts = of('text.completed').map(one => one.content)
  return {
    session: String((completed ?? paused ?? error)?.thread_id ?? session ?? ''),
    status: response.status,
    text: completed?.status === 'success' ? texts.join('') : '',
    calls: (paused?.pending_tools ?? []).map((one: Loose) => [one.name, toInput(one.arguments)]),
    error: error?.error_code,
    message: error?.message,
    isWhole: completed !== undefined || paused !== undefined,
    warnings: of('conversation.data').flatMap(one => one.warnings ?? []),
  }
}

/** Arguments as a value; as the text that they are when they broke off. */
function toInput(given: unknown): unknown {
  if (typeof given !== 'string') return given
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}

const threadWhole: Wire = async asked => {
  const { url, text, model, session, tools, limits } = asked
  const sent = { input: text, model, thread_id: session, tools, ...limits }
  const response = await json(`${url}/v4/response`, sent)
  if (response.status !== 200) {
    const got = await refusal(response.clone() as Response, session)
    const body = (await response.json()) as Loose
    return { ...got, session: String(body.thread_id ?? body.error?.details?.thread_id ?? session ?? '') }
  }
  const body = (await response.json()) as Loose
  return {
    session: String(body.thread_id),
    status: response.status,
    text: (body.outputs ?? []).map((one: Loose) => one.text ?? '').join(''),
    calls: (body.pending_tools ?? []).map((one: Loose) => [one.name, toInput(one.arguments)]),
    error: undefined,
    isWhole: true,
    warnings: [],
  }
}

const chatBody = ({ text, model, tools, more }: Asked, stream: boolean) => ({
  ...more,
  model,
  stream,
  messages: [{ role: 'user', content: text }],
  tools: tools?.map(({ name, input_schema }) => ({
    type: 'function',
    function: { name, parameters: input_schema },
  })),
})

/** What these wires take as headers, since their bodies are the vendors'. */
const headersOf = ({ session, limits = {} }: Asked): Record<string, string> => ({
  ...(session ? { 'x-session-id': session } : {}),
  ...Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [`x-${name.replaceAll('_', '-')}`, String(value)]),
  ),
})

const openaiStream: Wire = async asked => {
  const url = `${asked.url}/v1/chat/completions`
  const response = await json(url, chatBody(asked, true), headersOf(asked))
  const session = response.headers.get('x-session-id') ?? asked.session ?? ''
  if (response.status !== 200) return await refusal(response, session)
  const frames = await events(response)
  const chunks = parsed(frames)
  const error = chunks.find(chunk => chunk.error)?.error
  const calls: Loose[] = []
  for (const one of chunks.flatMap(chunk => chunk.choices?.[0]?.delta?.tool_calls ?? [])) {
    calls[one.index] ??= { name: '', arguments: '' }
    calls[one.index].name += one.function.name ?? ''
    calls[one.index].arguments += one.function.arguments ?? ''
  }
  const isWhole = frames.at(-1)?.data === '[DONE]'
  return {
    session,
    status: 200,
    text: isWhole ? chunks.map(chunk => chunk.choices?.[0]?.delta?.content ?? '').join('') : '',
    calls: calls.map(one => [one.name, toInput(one.arguments)]),
    error: error?.code,
    message: error?.message,
    isWhole,
    warnings: chunks.flatMap(chunk => chunk.warnings ?? []),
  }
}

const openaiWhole: Wire = async asked => {
  const url = `${asked.url}/v1/chat/completions`
  const response = await json(url, chatBody(asked, false), headersOf(asked))
  const session = response.headers.get('x-session-id') ?? asked.session ?? ''
  if (response.status !== 200) return await refusal(response, session)
  const body = (await response.json()) as Loose
  const { message, finish_reason } = body.choices[0]
  return {
    session,
    status: 200,
    text: message.content ?? '',
    calls: (message.tool_calls ?? []).map((one: Loose) => [
      one.function.name,
      toInput(one.function.arguments),
    ]),
    isWhole: finish_reason !== null,
    warnings: body.warnings ?? [],
  }
}

const messagesBody = ({ text, model, tools, more }: Asked, stream: boolean) => ({
  ...more,
  model,
  stream,
  max_tokens: 1000,
  messages: [{ role: 'user', content: text }],
  tools,
})

const anthropicStream: Wire = async asked => {
  const headers = { 'anthropic-version': '2023-06-01', ...headersOf(asked) }
  const response = await json(`${asked.url}/v1/messages`, messagesBody(asked, true), headers)
  const session = response.headers.get('x-session-id') ?? asked.session ?? ''
  if (response.status !== 200) return await refusal(response, session)
  const frames = parsed(await events(response))
  const error = frames.find(frame => frame.type === 'error')?.error
  const starts = frames.filter(frame => frame.type === 'content_block_start')
  const said = (index: number, field: string): string =>
    frames
      .filter(frame => frame.type === 'content_block_delta' && frame.index === index)
      .map(frame => frame.delta[field] ?? '')
      .join('')
  const isWhole = frames.at(-1)?.type === 'message_stop'
  return {
    session,
    status: 200,
    text: isWhole ? starts.map(start => said(start.index, 'text')).join('') : '',
    calls: starts
      .filter(start => start.content_block.type === 'tool_use')
      .map(start => [start.content_block.name, toInput(said(start.index, 'partial_json'))]),
    error: error?.type,
    message: error?.message,
    isWhole,
    warnings: frames.flatMap(frame => frame.warnings ?? []),
  }
}

const anthropicWhole: Wire = async asked => {
  const headers = { 'anthropic-version': '2023-06-01', ...headersOf(asked) }
  const response = await json(`${asked.url}/v1/messages`, messagesBody(asked, false), headers)
  const session = response.headers.get('x-session-id') ?? asked.session ?? ''
  if (response.status !== 200) return await refusal(response, session)
  const body = (await response.json()) as Loose
  return {
    session,
    status: 200,
    text: body.content.map((block: Loose) => block.text ?? '').join(''),
    calls: body.content
      .filter((block: Loose) => block.type === 'tool_use')
      .map((block: Loose) => [block.name, block.input]),
    isWhole: body.stop_reason !== null,
    warnings: body.warnings ?? [],
  }
}

export const WIRES = {
  chat,
  canonical,
  'thread, streamed': threadStream,
  'thread, whole': threadWhole,
  'openai-chat, streamed': openaiStream,
  'openai-chat, whole': openaiWhole,
  'anthropic-messages, streamed': anthropicStream,
  'anthropic-messages, whole': anthropicWhole,
} satisfies Record<string, Wire>

export type WireName = keyof typeof WIRES

/** The whole log of a session, by its id or by the number of its thread. */
export async function readLog(url: string, session: string): Promise<readonly SessionEvent[]> {
  const response = await fetch(`${url}/api/sessions/${session}/events?wire=canonical&after=0`)
  return parsed(await events(response)) as readonly SessionEvent[]
}

type RunEnd = EventOf<'run.failed' | 'run.completed' | 'run.paused' | 'run.cancelled'>

/** How the runs of the session ended, in order. */
export const ends = (log: readonly SessionEvent[]): readonly RunEnd[] =>
  log.filter((ev): ev is RunEnd => endsRun(ev.type) && ev.agent_run_id === undefined)
