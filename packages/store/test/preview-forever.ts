/**
 * A program for crash tests: one fact for every tenth event of two sessions, previews for the rest, each
 * append on its own and without end. Each event says its place; after each answer the heads are printed. With `facts`
 * only those of facts are, and how long the write-ahead log was on the disk then.
 */
import { statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteStore } from '@toolwire/store'
import { delta, note } from './events.ts'

const [, , dir = '.', mode] = process.argv
const store = await openSqliteStore({ dir })
const ids = ['a', 'b']
await store.append(ids.map(session => ({ session, create: true, events: [] })))
for (const session of ids) await store.claim({ node: 'child', ttlMs: 10_000, max: 1, session })
const heads = [0, 0]
const facts = [0, 0]
for (let w = 1; ; w++)
  for (const [i, session] of ids.entries()) {
    const event = w % 10 === 5 ? note(w) : delta(String(w), w, w)
    const [answer] = await store.append([{ session, as: { epoch: 1, w }, events: [event] }])
    if (answer && 'head' in answer) heads[i] = answer.head
    if (mode !== 'facts') writeSync(1, `${JSON.stringify(heads)}\n`)
    else if (event.type === 'note') {
      facts[i] = heads[i] ?? 0
      const wal = statSync(join(dir, 'toolwire.db-wal')).size
      writeSync(1, `${JSON.stringify({ facts, wal })}\n`)
    }
  }
