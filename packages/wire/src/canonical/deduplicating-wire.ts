/**
 * The canonical wire for readers that restore omitted arguments: call arguments, which the log repeats up to four
 * times, are sent once.
 */
import { ArgumentDeduplicator, type Rec, toEnvelope } from '@toolwire/core'
import type { Wire } from '../wire.ts'

/** Characters of arguments that one connection remembers to compare with. */
const ROOM = 4_194_304

/**
 * For one connection of a reader that has the records up to `after`. What it leaves out was carried by this
 * connection, never by one before: it may begin at any record, as canonicalWire.
 */
export function deduplicatingWire(after: number): Wire {
  return {
    id: 'canonical',
    memory: 'none',
    open({ session_id }) {
      const told = new ArgumentDeduplicator(ROOM)
      return (rec: Rec) => {
        const ev = rec.seq > after ? (told.omitRepeated(rec.ev) as Rec['ev']) : rec.ev
        return [{ event: ev.type, data: JSON.stringify(toEnvelope(session_id, { ...rec, ev })) }]
      }
    },
  }
}
