/**
 * Ends the open requests of a key once it is revoked or has expired: streams of every wire, and responses that
 * still wait. The key may be revoked by another process, so the records are polled.
 */
import type { Client } from '../http/exchange.ts'
import type { KeyRegistry } from './key-registry.ts'

export interface OpenRequests {
  /** Ends the response when the key is; null is a request without key, which ends when the server gets its first key. */
  add(key_id: string | null, client: Client): void
  /** Stops polling. Idempotent. */
  close(): void
}

/** With the time of one read, an open request outlives its key by less than two seconds. */
const POLL_MS = 1000

export function createOpenRequests(keys: Pick<KeyRegistry, 'required' | 'findCurrent'>): OpenRequests {
  const open = new Map<string | null, Set<Client>>()
  let closed = false
  let timer: NodeJS.Timeout

  function end(key_id: string | null): void {
    for (const client of [...(open.get(key_id) ?? [])]) client.destroy()
  }
  async function look(): Promise<void> {
    const ids = [...open.keys()].filter(id => id !== null)
    const current = ids.length === 0 ? new Set<string>() : await keys.findCurrent(ids)
    for (const id of ids) if (!current.has(id)) end(id)
    if (open.has(null) && (await keys.required())) end(null)
  }
  function lookLater(): void {
    timer = setTimeout(() => {
      // `required` may fail with the database; the next round asks again.
      void look()
        .catch(() => {})
        .then(() => {
          if (!closed) lookLater()
        })
    }, POLL_MS)
    timer.unref()
  }
  lookLater()
  return {
    add(key_id, client) {
      const clients = open.get(key_id) ?? new Set()
      open.set(key_id, clients.add(client))
      client.onClose(() => {
        clients.delete(client)
        if (clients.size === 0 && open.get(key_id) === clients) open.delete(key_id)
      })
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
