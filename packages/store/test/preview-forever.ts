/**
 * A program for crash tests: one fact for every tenth event of two sessions, previews for the rest, each
 * append on its own and without end. Each event says its place; after each answer the heads are printed.
 */
import { writeSync } from 'node:fs'
import { openSqliteStore } from '@toolwire/store'
import { delta, note } from './events.ts'

const store = await openSqliteStore({ dir: process.argv[2] ?? '.' })
const ids = ['a', 'b']
await store.append(ids.map(session => ({ session, create: true, events: [] })))
for (const session of ids) await store.claim({ node: 'child', ttlMs: 10_000, max: 1, session })
const heads = [0, 0]
for (let w = 1; ; w++)
  for (const [i, session] of ids.entries()) {
    const event = w % 10 === 5 ? note(w) : delta(String(w), w, w)
    const [answer] = await store.append([{ session, as: { epoch: 1, w }, events: [event] }])
    if (answer && 'head' in answer) heads[i] = answer.head
    writeSync(1, `${JSON.stringify(heads)}\n`)
  }
