/** What all wires of this folder share: an answer as it is read, and how a request is sent. */
// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
export type Loose = any

export interface Got {
  /** The session that was used, to be used again. */
  readonly session: string
  /** HTTP status of the answer. */
  readonly status: number
  readonly text: string
  /** Names and arguments of the calls that the client is to run. */
  readonly calls: readonly (readonly [string, unknown])[]
  /** The ids of these calls, in the same order. */
  readonly ids: readonly string[]
  /** Their arguments as they were written, where clients send them back so. */
  readonly written?: readonly string[]
  /** What the answer says was used; undefined when it says nothing of it. */
  readonly usage?: Used | undefined
  /** The code or type of the error, in the words of the wire; undefined when all went well. */
  readonly error?: string | undefined
  readonly message?: string | undefined
  /** The answer ended the way this wire's good answers end. */
  readonly isWhole: boolean
  readonly warnings: readonly Loose[]
}

/** Everything that was read, cached or not, and what was written. */
export interface Used {
  readonly input: number
  readonly output: number
}

/** A call that the client was given, and what it came to. */
export interface Answered {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** The input as it was written. */
  readonly written: string
  readonly output: string
}

export interface Asked {
  readonly url: string
  readonly model: string
  readonly text: string
  readonly session?: string
  /** The results of the calls that `text` led to: they are sent in its place, to that session. */
  readonly results?: readonly Answered[]
  /** The words before these calls, for wires whose clients send the history. */
  readonly said?: string
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

export const json = async (
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** The events of a stream; a broken connection is one of them. */
export async function events(response: Response): Promise<readonly { event: string; data: string }[]> {
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

export const parsed = (list: readonly { readonly data: string }[]): readonly Loose[] =>
  list.filter(one => one.data !== '[DONE]' && one.data !== 'broken').map(one => JSON.parse(one.data))

export async function sessionFor({
  url,
  model,
  session,
}: Asked): Promise<{ id?: string; refused?: Response }> {
  if (session !== undefined) return { id: session }
  const response = await json(`${url}/api/sessions`, { model, tools: [] })
  if (response.status !== 201) return { refused: response }
  return { id: ((await response.json()) as { id: string }).id }
}

export const refusal = async (response: Response, session = ''): Promise<Got> => {
  const { error } = (await response.json()) as Loose
  return {
    session,
    status: response.status,
    text: '',
    calls: [],
    ids: [],
    error: error.code ?? error.type,
    message: error.message,
    isWhole: false,
    warnings: [],
  }
}

/** Arguments as a value; as raw text if they are incomplete. */
export function toInput(given: unknown): unknown {
  if (typeof given !== 'string') return given
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}

/** The usage as the Messages API and the chat wire count it: cached input apart. */
export const countApart = (usage: Loose): Used | undefined =>
  usage && {
    input: usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
    output: usage.output_tokens,
  }
