/** Checkpoints beside a SQLite database: their file can be damaged, deleted or unwritable, and the data still open. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store } from '@toolwire/core'
import { openSqliteStore } from '@toolwire/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeCheckpoints } from './checkpoint-contract.ts'
import { create } from './contract/session-calls.ts'
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts'

let folder: TemporaryFolder
let store: Store | undefined
beforeEach(async () => {
  folder = await makeTemporaryFolder()
})
afterEach(async () => {
  await store?.close()
  store = undefined
  await folder.remove()
})

async function open(): Promise<Store> {
  await store?.close()
  store = await openSqliteStore({ dir: folder.path })
  return store
}

describeCheckpoints(open)

const saved = async (opened: Store): Promise<void> => {
  await opened.checkpoints?.save('a', 1, Uint8Array.of(1, 2))
  await expect.poll(async () => (await opened.checkpoints?.load('a'))?.length).toBe(2)
}
const fileOf = (): string => `${folder.file}-checkpoints`

test('a checkpoint is there after a restart, in a file for its owner alone', async () => {
  const first = await open()
  await create(first, 'a', { events: [] })
  await saved(first)
  expect((await stat(fileOf())).mode & 0o077).toBe(0)
  expect(await (await open()).checkpoints?.load('a')).toEqual(Uint8Array.of(1, 2))
})

for (const [name, spoil] of Object.entries({
  deleted: () => rm(fileOf()),
  overwritten: () => writeFile(fileOf(), 'no database at all, and longer than a header of one would be'),
  emptied: () => writeFile(fileOf(), ''),
}))
  test(`a file that was ${name} is replaced, and sessions open`, async () => {
    const first = await open()
    await create(first, 'a', { events: [] })
    await saved(first)
    await first.close()
    store = undefined
    await spoil()
    const again = await open()
    expect((await again.list({ ids: ['a'], limit: 1 })).items).toHaveLength(1)
    expect(await again.checkpoints?.load('a')).toBeUndefined()
    await saved(again)
  })

test('without a file that can be written, nothing is stored and everything works', async () => {
  await mkdir(join(fileOf(), 'directory'), { recursive: true })
  const opened = await open()
  await create(opened, 'a', { events: [] })
  await opened.checkpoints?.save('a', 1, Uint8Array.of(1))
  expect(await opened.checkpoints?.load('a')).toBeUndefined()
  expect(await opened.remove('a')).toBe(true)
})

test('after a crash of the machine no checkpoint is trusted', async () => {
  const first = await open()
  await create(first, 'a', { events: [] })
  await saved(first)
  await first.close()
  store = undefined
  await writeFile(`${folder.file}-open`, 'another boot')
  expect(await (await open()).checkpoints?.load('a')).toBeUndefined()
})

test('closing leaves no journal of the checkpoints behind', async () => {
  const first = await open()
  await create(first, 'a', { events: [] })
  await saved(first)
  await first.close()
  store = undefined
  expect(existsSync(fileOf())).toBe(true)
  expect((await readdir(folder.path)).filter(name => /checkpoints-/.test(name))).toEqual([])
})
