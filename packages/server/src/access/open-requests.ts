/**
 * Ends the open requests of a key or token once it is revoked or has expired: streams of every wire, and responses
 * that still wait. It may be revoked by another process, so the records are polled.
 */
import type { Client } from '../http/exchange.ts'
import { poll } from '../stream/poll.ts'
import type { Credentials } from './credentials.ts'

export interface OpenRequests {
  /** Ends the response with its credential; null is a request without one, which ends when the server gets its first key. */
  add(credential: string | null, client: Client): void
  /** Stops polling. Idempotent. */
  close(): void
}

/** With the time of one read, an open request outlives its key by less than two seconds. */
const POLL_MS = 1000

export function createOpenRequests(credentials: Pick<Credentials, 'required' | 'findCurrent'>): OpenRequests {
  const open = new Map<string | null, Set<Client>>()

  function end(credential: string | null): void {
    for (const client of [...(open.get(credential) ?? [])]) client.destroy()
  }
  async function check(): Promise<void> {
    const ids = [...open.keys()].filter(id => id !== null)
    const current = ids.length === 0 ? new Set<string>() : await credentials.findCurrent(ids)
    for (const id of ids) if (!current.has(id)) end(id)
    if (open.has(null) && (await credentials.required())) end(null)
  }
  // `required` may fail with the database; the next round asks again.
  const close = poll(check, POLL_MS)
  return {
    add(credential, client) {
      const clients = open.get(credential) ?? new Set()
      open.set(credential, clients.add(client))
      client.onClose(() => {
        clients.delete(client)
        if (clients.size === 0 && open.get(credential) === clients) open.delete(credential)
      })
    },
    close,
  }
}
