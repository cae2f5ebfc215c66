/** Chats of front ends as the server has them. */
const BASE = '/api/ai/v7/chat'

export interface LogEvent {
  readonly type: string
  readonly content?: unknown
}

interface ListedMessage {
  readonly role: string
  readonly metadata?: { readonly sessionId?: string }
  readonly parts: readonly { readonly type: string; readonly text?: string }[]
}

async function listed(url: string, chat: string): Promise<readonly ListedMessage[]> {
  const response = await fetch(`${url}${BASE}/${chat}/messages`)
  return ((await response.json()) as { readonly messages: readonly ListedMessage[] }).messages
}

/** The messages of a chat as `role: text`. */
export const listMessages = async (url: string, chat: string): Promise<readonly string[]> =>
  (await listed(url, chat)).map(
    ({ role, parts }) => `${role}: ${parts.map(one => (one.type === 'text' ? one.text : '')).join('')}`,
  )

/** True while a response is in progress. */
export const isRunning = async (url: string, chat: string): Promise<boolean> => {
  const response = await fetch(`${url}${BASE}/${chat}/stream`)
  await response.body?.cancel()
  return response.status !== 204
}

/** The events of the session that has this chat. */
export async function eventsOf(url: string, chat: string): Promise<readonly LogEvent[]> {
  const session = (await listed(url, chat)).findLast(one => one.metadata?.sessionId)?.metadata?.sessionId
  const response = await fetch(`${url}/api/sessions/${session ?? ''}/export`)
  return ((await response.json()) as { readonly events: readonly LogEvent[] }).events
}
