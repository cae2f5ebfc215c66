/**
 * A node that only follows: it reads every session that moves, as a server's streams do, and reports the age of
 * the events. The parent names the database in DATABASE_URL.
 */
import { openPostgresStore } from '@toolwire/store'

export interface TailReport {
  /** Milliseconds from the moment an event was made until it was read here, one per event. */
  readonly times: readonly number[]
  /** Numbers that did not follow on each other. */
  readonly gaps: number
}

const PAGE = 1000

const store = await openPostgresStore({ url: process.env['DATABASE_URL'] ?? '' })
const times: number[] = []
let gaps = 0
const places = new Map<string, number>()
const reading = new Map<string, { again: boolean }>()

async function pull(session: string): Promise<void> {
  const known = reading.get(session)
  if (known) {
    known.again = true
    return
  }
  const look = { again: true }
  reading.set(session, look)
  while (look.again) {
    look.again = false
    const place = places.get(session) ?? 0
    const records = await store.read(session, place, PAGE, { live: true })
    const now = Date.now()
    if (records[0] && records[0].seq !== place + 1) gaps += 1
    places.set(session, records.at(-1)?.seq ?? place)
    for (const { ev } of records) times.push(now - Date.parse(ev.ts))
  }
  reading.delete(session)
}

await store.watch(session => {
  if (session !== '*') void pull(session)
})
process.on('message', message => {
  if (message === 'report') process.send?.({ times, gaps } satisfies TailReport)
  else void store.close().then(() => process.exit(0))
})
process.send?.({ url: '' })
