/** Owners' previews: stored without the disk's help, there after a kill, and never a hole in a log. */
import { copyFileSync, readdirSync } from 'node:fs'
import { copyFile, open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteStore } from '@toolwire/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { delta, note } from './events.ts'
import { streamUntil, wholeHeads } from './preview-stream.ts'
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts'

let folder: TemporaryFolder
beforeEach(async () => {
  folder = await makeTemporaryFolder()
})
afterEach(() => folder.remove())

/** Lets a process stream previews to two sessions and kills it; returns the last heads that it received. */
const streamAndKill = async (acks: number): Promise<readonly number[]> =>
  JSON.parse((await streamUntil(folder.path, acks)).at(-1) ?? '[]') as readonly number[]

const previewFiles = async (): Promise<readonly string[]> =>
  (await readdir(folder.path)).filter(name => name.includes('-previews-'))

test('previews that were acknowledged before a SIGKILL are there, before and after facts', async () => {
  const told = await streamAndKill(60)
  const store = await openSqliteStore({ dir: folder.path })
  const heads = await wholeHeads(store)
  expect(heads.every((head, i) => head >= (told[i] ?? 0))).toBe(true)
  await store.close()
  expect(await previewFiles()).toEqual([])
})

test('an owner that comes back after a kill learns what was stored, and continues after it', async () => {
  await streamAndKill(20)
  const store = await openSqliteStore({ dir: folder.path })
  const [head = 0] = await wholeHeads(store)
  const [claimed] = await store.claim({ node: 'n', ttlMs: 10_000, max: 1, session: 'a' })
  expect(claimed).toEqual({ session: 'a', epoch: 2, head })
  const write = { session: 'a', as: { epoch: 2, w: 1 }, events: [delta(String(head + 1))] }
  expect(await store.append([write])).toEqual([{ head: head + 1 }])
  await wholeHeads(store)
  await store.close()
})

test('damaged or missing preview files cost previews at the end, never a fact and never a hole', async () => {
  await streamAndKill(40)
  const names = ['toolwire.db', 'toolwire.db-wal', ...(await previewFiles())]
  const size = (await stat(`${folder.file}-previews-0`)).size
  expect(size).toBeGreaterThan(100)
  const facts = 2 * 5
  for (const at of [size - 1, Math.floor(size / 2), 9, 0, -1]) {
    const copy = await makeTemporaryFolder()
    for (const name of names) await copyFile(`${folder.path}/${name}`, `${copy.path}/${name}`)
    const file = `${copy.file}-previews-0`
    if (at >= 0) await truncate(file, at)
    else await garble(file, Math.floor(size / 3))
    const store = await openSqliteStore({ dir: copy.path })
    const heads = await wholeHeads(store)
    expect(Math.min(...heads)).toBeGreaterThan(facts)
    await store.close()
    await copy.remove()
  }
})

test('a preview that changed on the disk is not taken for what was said, though it still reads as one', async () => {
  await streamAndKill(40)
  const bytes = await readFile(`${folder.file}-previews-0`)
  const said = [...bytes.toString('latin1').matchAll(/"text\\*":\\*"(?=\d)/g)].map(
    hit => hit.index + hit[0].length,
  )
  expect(said.length).toBeGreaterThan(4)
  for (const at of [said[0], said[Math.floor(said.length / 2)], said.at(-1)]) {
    const copy = await makeTemporaryFolder()
    for (const name of ['toolwire.db', 'toolwire.db-wal', ...(await previewFiles())])
      await copyFile(`${folder.path}/${name}`, `${copy.path}/${name}`)
    const changed = Buffer.from(bytes)
    // One digit becomes another: JSON before and after.
    changed[at ?? 0] = (bytes[at ?? 0] ?? 0) ^ 1
    await writeFile(`${copy.file}-previews-0`, changed)
    const store = await openSqliteStore({ dir: copy.path })
    await wholeHeads(store)
    await store.close()
    await copy.remove()
  }
})

test('an epoch that only previews were written under is not given again after a kill', async () => {
  const store = await openSqliteStore({ dir: folder.path })
  await store.append([{ session: 'a', create: true, events: [note(1)] }])
  const claim = { node: 'n', ttlMs: 10_000, max: 1, session: 'a' }
  expect(await store.claim(claim)).toMatchObject([{ epoch: 1 }])
  const copy = await makeTemporaryFolder()
  await store.append([{ session: 'a', as: { epoch: 1, w: 1 }, events: [delta('2')] }])
  // What a kill at this moment leaves behind: nothing else may happen meanwhile.
  for (const name of readdirSync(folder.path))
    if (/\.db(-wal|-previews-\d)?$/.test(name)) copyFileSync(`${folder.path}/${name}`, `${copy.path}/${name}`)
  await store.close()
  const next = await openSqliteStore({ dir: copy.path })
  expect(await next.claim(claim)).toEqual([{ session: 'a', epoch: 2, head: 2 }])
  await next.close()
  await copy.remove()
})

test('preview files of another database are not taken for its own', async () => {
  await streamAndKill(20)
  const copy = await makeTemporaryFolder()
  const other = await openSqliteStore({ dir: copy.path })
  await other.append([{ session: 'x', create: true, events: [] }])
  await other.close()
  for (const name of await previewFiles()) await copyFile(`${folder.path}/${name}`, `${copy.path}/${name}`)
  const store = await openSqliteStore({ dir: copy.path })
  expect(await store.read('x', 0, 100)).toEqual([])
  expect((await store.stats()).events).toBe(0)
  await store.close()
  await copy.remove()
})

test("a preview is answered while another session's fact waits for the disk, and keeps its place behind its own", async () => {
  const store = await openSqliteStore({ dir: folder.path })
  await store.append(['a', 'b'].map(session => ({ session, create: true, events: [] })))
  for (const session of ['a', 'b']) await store.claim({ node: 'n', ttlMs: 10_000, max: 1, session })
  const order: string[] = []
  const told = (name: string) => () => void order.push(name)
  const as = (w: number) => ({ epoch: 1, w })
  await Promise.all([
    store.append([{ session: 'a', as: as(1), events: [note(1)] }]).then(told('fact of a')),
    store.append([{ session: 'a', as: as(2), events: [delta('2')] }]).then(told('preview of a')),
    store.append([{ session: 'b', as: as(1), events: [delta('1')] }]).then(told('preview of b')),
  ])
  expect(order).toEqual(['preview of b', 'fact of a', 'preview of a'])
  expect(await wholeHeads(store)).toEqual([2, 1])
  await store.close()
})

async function garble(file: string, at: number): Promise<void> {
  const handle = await open(file, 'r+')
  await handle.write(Buffer.alloc(20, 0xa5), 0, 20, at)
  await handle.close()
}

test('many previews are copied to the database piece by piece: a fact waits for one of them, not for all', async () => {
  const store = await openSqliteStore({ dir: folder.path })
  const ids = Array.from({ length: 40 }, (_, i) => `s${i}`)
  await store.append([...ids, 'fact'].map(session => ({ session, create: true, events: [note(1)] })))
  for (const session of ids) await store.claim({ node: 'n', ttlMs: 10_000, max: 1, session })
  // Takes the claims along, so that no previews have to go with them later.
  await store.append([{ session: 'fact', events: [note(2)] }])
  const text = 'x'.repeat(120_000)
  const write = (session: string, w: number) => ({ session, as: { epoch: 1, w }, events: [delta(text)] })
  await Promise.all(ids.map(session => store.append([write(session, 1)])))
  await store.append([{ session: 'fact', events: [note(3)] }])
  expect(copiedSessions()).toBeLessThan(ids.length)
  await Promise.all(ids.map(session => store.append([write(session, 2)])))
  for (const session of ids) expect((await store.read(session, 0, 10)).map(rec => rec.seq)).toEqual([1, 2, 3])
  await expect.poll(copiedSessions).toBe(ids.length)
  await expect.poll(async () => (await stat(`${folder.file}-previews-0`)).size).toBe(0)
  await store.close()
  const again = await openSqliteStore({ dir: folder.path })
  for (const session of ids) expect((await again.read(session, 0, 10)).map(rec => rec.seq)).toEqual([1, 2, 3])
  await again.close()
})

/** How many sessions have previews in the database. */
function copiedSessions(): number {
  const db = new DatabaseSync(folder.file, { readOnly: true })
  const row = db.prepare('select count(distinct session) as n from chunk where seq = 2 and epoch = 1').get()
  db.close()
  return Number(row?.['n'])
}
