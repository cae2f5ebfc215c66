/** A client of the thread protocol that knows nothing but HTTP; for tests. */
export interface ThreadEvent {
  readonly id: string
  readonly event: string
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: fields of any shape are compared one by one
  readonly data: any
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly events: readonly ThreadEvent[]
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
  readonly body: any
}

/** POSTs JSON; reads the answer to its end, as events or as JSON. */
export async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return await toReply(response)
}

export async function get(url: string, headers: Record<string, string> = {}): Promise<Reply> {
  return await toReply(await fetch(url, { headers }))
}

async function toReply(response: Response): Promise<Reply> {
  const text = await response.text()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  return {
    status: response.status,
    headers: response.headers,
    events: isStream ? parseEvents(text) : [],
    body: isStream || text === '' ? undefined : JSON.parse(text),
  }
}

/** Whole frames of a stream, in order. */
export function parseEvents(text: string): readonly ThreadEvent[] {
  return [...text.matchAll(/^event: (.+)\nid: (.+)\ndata: (.+)\n\n/gm)].map(
    ([, event = '', id = '', data = '']) => {
      const parsed = JSON.parse(data)
      return { id, event, type: parsed.type, data: parsed }
    },
  )
}

export const typesOf = (events: readonly ThreadEvent[]): readonly string[] => events.map(event => event.type)

export const find = (events: readonly ThreadEvent[], type: string) =>
  events.find(event => event.type === type)?.data

export const textOf = (events: readonly ThreadEvent[]): string =>
  events.flatMap(event => (event.type === 'text.chunk' ? [event.data.content] : [])).join('')

/** Reads a stream until an event of this type is in, then breaks the connection off. */
export async function readUntil(response: Response, type: string): Promise<readonly ThreadEvent[]> {
  const reader = response.body?.getReader()
  if (!reader) return []
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    text += decoder.decode(value, { stream: true })
    const events = parseEvents(text)
    if (!done && !events.some(event => event.type === type)) continue
    await reader.cancel()
    return events
  }
}
