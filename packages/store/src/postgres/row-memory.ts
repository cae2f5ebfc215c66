/**
 * The rows that were read last, as events: many readers of one session ask for the same rows at different places, and a
 * reader that goes on asks for the rest of a folded one. A row is known again by its text, so nothing here can be stale.
 */
import type { SessionEvent } from '@toolwire/core'
import { unpackEvents } from '../pack.ts'

export interface RowMemory {
  /** The events in the text of a row; `name` tells rows apart. Shared: nobody may change them. Throws when it cannot be understood. */
  readonly eventsOf: (name: string, packed: boolean, text: string) => readonly SessionEvent[]
}

interface Known {
  readonly text: string
  readonly events: readonly SessionEvent[]
}

/** Characters of all rows that are kept. A packed row stands for some sixteen times its length. */
const KEPT = 1024 * 1024

export function createRowMemory(kept = KEPT): RowMemory {
  const rows = new Map<string, Known>()
  let size = 0

  function forget(name: string, known: Known): void {
    rows.delete(name)
    size -= known.text.length
  }
  return {
    eventsOf(name, packed, text) {
      const known = rows.get(name)
      if (known?.text === text) return known.events
      if (known) forget(name, known)
      const events = packed
        ? unpackEvents(Buffer.from(text, 'base64'))
        : (JSON.parse(text) as readonly SessionEvent[])
      rows.set(name, { text, events })
      size += text.length
      // First in, first out: a storm of readers is over the same few rows.
      for (const [oldest, row] of rows) {
        if (size <= kept) break
        forget(oldest, row)
      }
      return events
    },
  }
}
