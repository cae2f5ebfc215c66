/**
 * A program for crash tests: opens the store in the folder it is given and appends without end.
 * After each answer it prints the heads and how long the write-ahead log is now, in one line.
 */
import { statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteStore } from '@toolwire/store'
import { delta, note, turnCompleted } from './events.ts'

const dir = process.argv[2] ?? '.'
const SESSIONS = 5
const store = await openSqliteStore({ dir })
const ids = Array.from({ length: SESSIONS }, (_, i) => `session-${i}`)
await store.append(ids.map(session => ({ session, create: true, events: [] })))
const heads: Record<string, number> = {}
const writers = await Promise.all(
  ids.map(async session => {
    const [claimed] = await store.claim({ node: 'child', ttlMs: 10_000, max: 1, session })
    heads[session] = claimed?.head ?? 0
    return { session, epoch: claimed?.epoch ?? 0 }
  }),
)
for (let w = 1; ; w++) {
  const answers = await store.append(
    writers.map(({ session, epoch }, i) => {
      const value = (heads[session] ?? 0) + 1
      const event =
        (w + i) % 3 === 0
          ? note(value)
          : (w + i) % 40 === 1
            ? turnCompleted(String(value))
            : delta(String(value), w, w)
      return { session, as: { epoch, w }, events: [event] }
    }),
  )
  for (const [i, answer] of answers.entries()) if ('head' in answer) heads[ids[i] ?? ''] = answer.head
  const wal = statSync(join(dir, 'toolwire.db-wal')).size
  writeSync(1, `${JSON.stringify({ heads, wal })}\n`)
}
