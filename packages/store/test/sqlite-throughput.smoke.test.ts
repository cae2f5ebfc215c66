/** The hot path under load: many sessions stream at once, each with a live reader that must miss nothing. */
import type { Rec } from '@toolwire/core'
import { openSqliteStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { message } from './events.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

const SESSIONS = 100

test('a hundred interleaved sessions are streamed to live readers without gap, repeat or mix-up, and are on disk afterwards', async () => {
  const folder = await makeTemporaryFolder()
  const store = await openSqliteStore({ dir: folder.path })
  const ids = Array.from({ length: SESSIONS }, (_, i) => `session-${i}`)
  const events = message('msg_1', 60)
  await store.append(ids.map(session => ({ session, create: true, events: [], state: 'running' })))
  const claims = await store.claim({ node: 'n', ttlMs: 10_000, max: SESSIONS })

  const seen = new Map<string, Rec[]>(ids.map(id => [id, []]))
  const reading = new Map<string, Promise<void>>()
  async function readOn(id: string): Promise<void> {
    const got = seen.get(id) ?? []
    got.push(...(await store.read(id, got.length, 1000)))
  }
  const stop = await store.watch(id => {
    reading.set(
      id,
      (reading.get(id) ?? Promise.resolve()).then(() => readOn(id)),
    )
  })
  await Promise.all(
    claims.map(async ({ session, epoch }) => {
      for (const [i, event] of events.entries())
        await store.append([{ session, as: { epoch, w: i + 1 }, events: [event] }])
    }),
  )
  await Promise.all(reading.values())
  stop()
  const expected = events.map((ev, i) => ({ seq: i + 1, epoch: 1, ev }))
  for (const id of ids) expect(seen.get(id)).toEqual(expected)

  await store.close()
  const again = await openSqliteStore({ dir: folder.path })
  for (const id of ids) expect(await again.read(id, 0, 1000)).toEqual(expected)
  await again.close()
  await folder.remove()
})
