/**
 * The machine goes down: of the writes since the last fsync any part may be gone, in any order. Acknowledged facts
 * are there, logs have no holes, and lost previews start another history.
 */

import { copyFile, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { openSqliteStore } from '@toolwire/store'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { delta, note } from './events.ts'
import { streamUntil, wholeHeads } from './preview-stream.ts'
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts'

let folder: TemporaryFolder
beforeEach(async () => {
  folder = await makeTemporaryFolder()
})
afterEach(() => folder.remove())

/** What the program says after each acknowledged fact: nothing up to here may be lost. */
interface Safe {
  readonly facts: readonly number[]
  readonly wal: number
}

const SECTOR = 512

/** Streams facts and previews to two sessions until the process is killed, as a machine would end it. */
const streamAndStop = async (lines: number): Promise<readonly Safe[]> =>
  (await streamUntil(folder.path, lines, ['facts'])).map(line => JSON.parse(line) as Safe)

/** A copy of the data as the disk might hold them: `keep` says which sectors behind `from` were written. */
async function loseSectors(file: string, from: number, keep: (i: number) => boolean): Promise<void> {
  const bytes = await readFile(file)
  let length = bytes.length
  for (let at = Math.ceil(from / SECTOR) * SECTOR, i = 0; at < bytes.length; at += SECTOR, i++) {
    if (keep(i)) continue
    // The last one may not even have made the file longer.
    if (at + SECTOR >= length) length = at
    else bytes.fill(0, at, at + SECTOR)
  }
  await writeFile(file, bytes.subarray(0, length))
}

const MARK = 'toolwire.db-open'

/** As if the machine had been rebooted since. */
const startMachineAnew = (dir: string): Promise<void> => writeFile(`${dir}/${MARK}`, 'another boot')

/** The folder as it is, without what a disk does not hold. */
async function copyData(to: string): Promise<void> {
  for (const name of await readdir(folder.path))
    if (!name.endsWith('-shm')) await copyFile(`${folder.path}/${name}`, `${to}/${name}`)
}

test('whatever part of the unsynced writes is lost, acknowledged facts are there, logs have no holes and continue', async () => {
  const safe = (await streamAndStop(12)).at(-1)
  const wal = (await readFile(`${folder.file}-wal`)).length
  expect(safe?.wal).toBeGreaterThan(0)
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.boolean()), fc.integer({ min: 0, max: wal }), async (kept, cut) => {
      const keep = (): boolean => kept.next().value
      const copy = await makeTemporaryFolder()
      try {
        await copyData(copy.path)
        await loseSectors(`${copy.file}-wal`, Math.max(safe?.wal ?? 0, cut), keep)
        for (const n of [0, 1]) await loseSectors(`${copy.file}-previews-${n}`, 0, keep)
        await startMachineAnew(copy.path)
        const store = await openSqliteStore({ dir: copy.path })
        const heads = await wholeHeads(store)
        for (const [i, head] of heads.entries()) expect(head).toBeGreaterThanOrEqual(safe?.facts[i] ?? 0)
        const [claimed] = await store.claim({ node: 'n', ttlMs: 10_000, max: 1, session: 'a' })
        const [head = 0] = heads
        const next = { session: 'a', as: { epoch: claimed?.epoch ?? 0, w: 1 }, events: [note(head + 1)] }
        expect(await store.append([next])).toEqual([{ head: head + 1 }])
        await wholeHeads(store)
        await store.close()
      } finally {
        await copy.remove()
      }
    }),
    { numRuns: 15, seed: 7 },
  )
})

test('a preview file that is torn at any byte, or was never there, costs previews alone', async () => {
  const safe = (await streamAndStop(6)).at(-1)
  const size = (await readFile(`${folder.file}-previews-0`)).length
  for (let cut = 0; cut < size; cut += Math.max(1, Math.floor(size / 15))) {
    const copy = await makeTemporaryFolder()
    await copyData(copy.path)
    const file = await open(`${copy.file}-previews-0`, 'r+')
    await file.truncate(cut)
    await file.close()
    if (cut === 0) for (const n of [0, 1]) await rm(`${copy.file}-previews-${n}`)
    const store = await openSqliteStore({ dir: copy.path })
    for (const [i, head] of (await wholeHeads(store)).entries())
      expect(head).toBeGreaterThanOrEqual(safe?.facts[i] ?? 0)
    await store.close()
    await copy.remove()
  }
})

test('after the machine went down the data are another history, so that no place in lost previews is taken for one in what follows', async () => {
  await streamAndStop(3)
  await startMachineAnew(folder.path)
  const store = await openSqliteStore({ dir: folder.path })
  const first = await store.lineage?.()
  expect(first).not.toBe('')
  await store.close()
  const again = await openSqliteStore({ dir: folder.path })
  expect(await again.lineage?.()).toBe(first)
  await again.close()
})

test('a process that was killed, or that ended in order, leaves the history as it was', async () => {
  await streamAndStop(3)
  expect(await readdir(folder.path)).toContain(MARK)
  const store = await openSqliteStore({ dir: folder.path })
  expect(await store.lineage?.()).toBe('')
  await store.append([{ session: 'c', create: true, events: [] }])
  await store.claim({ node: 'n', ttlMs: 10_000, max: 1, session: 'c' })
  await store.append([{ session: 'c', as: { epoch: 1, w: 1 }, events: [delta('1')] }])
  await store.close()
  expect(await readdir(folder.path)).not.toContain(MARK)
})
