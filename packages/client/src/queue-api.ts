/** Messages that wait for a run: listed, changed, withdrawn, resumed. */
import type { ContentPart } from '@toolwire/core'
import type { Http } from './http.ts'

/** A message that no model has received. */
export interface QueuedMessageJson {
  readonly message_id: string
  readonly run_id: string
  readonly position: number
  readonly content: readonly ContentPart[]
  readonly when_running: 'queue' | 'steer' | 'interrupt'
  readonly revision: number
  /** `held`: for a next message, or for `resumeQueue`. */
  readonly waiting: 'running' | 'paused' | 'held'
}

export interface QueuedMessagePatch {
  readonly message?: string | readonly ContentPart[]
  /** `steer` sends it to the model with the next request of the run. */
  readonly when_running?: 'queue' | 'steer'
  /** From 0. */
  readonly position?: number
  /** The change is refused if the message has another revision. */
  readonly if_revision?: number
}

export function createQueueApi(http: Http) {
  const at = (id: string, rest = ''): string => `/api/sessions/${encodeURIComponent(id)}/queue${rest}`
  return {
    async queue(
      id: string,
    ): Promise<{ readonly queue_held: boolean; readonly messages: readonly QueuedMessageJson[] }> {
      return await http.json({ method: 'GET', path: at(id) })
    },
    /** Null if the message was delivered with the change. Throws `already_delivered` for one that was delivered before. */
    async changeQueued(
      id: string,
      messageId: string,
      patch: QueuedMessagePatch,
    ): Promise<QueuedMessageJson | null> {
      const path = at(id, `/${encodeURIComponent(messageId)}`)
      const request = { method: 'PATCH', path, body: patch } as const
      return (await http.json<{ message: QueuedMessageJson | null }>(request)).message
    },
    withdraw: (id: string, messageId: string): Promise<void> =>
      http.send({ method: 'DELETE', path: at(id, `/${encodeURIComponent(messageId)}`) }, async () => {}),
    /** Lets messages start runs that wait since a cancel or a failure. Returns their ids. */
    async resumeQueue(id: string): Promise<readonly string[]> {
      const path = at(id, '/resume')
      return (await http.json<{ resumed: readonly string[] }>({ method: 'POST', path })).resumed
    },
  }
}
