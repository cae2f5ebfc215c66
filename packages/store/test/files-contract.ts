/** What every store of files must do, as tests. */
import { createHash, randomBytes } from 'node:crypto'
import { AppError, type FileDetails, type FileLimits, type FileStore, type StoredFile } from '@toolwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

export interface FilesHarness {
  readonly files: FileStore
  /** The same data, opened by another node; undefined when one process alone may have them. */
  readonly again?: () => FileStore
  readonly dispose: () => Promise<void>
}

const HOUR = 60 * 60 * 1000
const KIB = 1024
export const LIMITS: FileLimits = { file: 3_000 * KIB, owner: 4_000 * KIB, count: 6 }

export async function readAll(
  files: FileStore,
  file: StoredFile,
  range?: { readonly start: number; readonly end: number },
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of files.read(file, range)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    error => (AppError.is(error) ? error.code : error),
  )

export function describeFilesContract(
  name: string,
  create: (limits: FileLimits, now: () => number) => Promise<FilesHarness>,
): void {
  describe(`${name} files`, () => {
    let harness: FilesHarness
    let files: FileStore
    let time = 0
    let made = 0
    beforeEach(async () => {
      time = 1_000_000_000_000
      made = 0
      harness = await create(LIMITS, () => time)
      files = harness.files
    })
    afterEach(() => harness.dispose())

    const details = (more: Partial<FileDetails> = {}): FileDetails => ({
      id: `file_${++made}`,
      media_type: 'text/plain',
      filename: '键 "a".txt',
      created_at: time,
      expires_at: time + 24 * HOUR,
      ...more,
    })
    async function put(content: Uint8Array, owner = 'ann', more: Partial<FileDetails> = {}) {
      const upload = await files.begin(owner)
      try {
        for (let at = 0; at < content.length; at += 300 * KIB)
          await upload.write(content.subarray(at, at + 300 * KIB))
        return await upload.finish(details(more))
      } catch (error) {
        await upload.abort()
        throw error
      }
    }
    const idsOf = async (owner: string) => (await files.list(owner, { limit: 100 })).items.map(one => one.id)
    const sweep = (...present: readonly string[]) =>
      files.sweep(async ids => new Set(ids.filter(id => present.includes(id))))

    it('give back what was written, whole and in ranges, across chunks', async () => {
      const content = randomBytes(2_500 * KIB)
      const file = await put(content)
      expect(file).toEqual({
        ...{ id: 'file_1', owner: 'ann', bytes: content.length, is_used: false },
        ...{
          media_type: 'text/plain',
          filename: '键 "a".txt',
          created_at: time,
          expires_at: time + 24 * HOUR,
        },
        sha256: createHash('sha256').update(content).digest('hex'),
      })
      expect(await files.get('ann', file.id)).toEqual(file)
      expect((await readAll(files, file)).equals(content)).toBe(true)
      for (const [start, end] of [
        [0, 0],
        [1_048_570, 1_048_590],
        [5, 2_200_000],
        [content.length - 1, content.length - 1],
      ] as const) {
        const part = await readAll(files, file, { start, end })
        expect(part.equals(content.subarray(start, end + 1))).toBe(true)
      }
    })

    it('keep every field, and an empty file', async () => {
      const file = await put(Buffer.alloc(0), 'ann', { purpose: 'vision', problem: 'it is locked' })
      expect(await files.get('ann', file.id)).toMatchObject({
        purpose: 'vision',
        problem: 'it is locked',
        bytes: 0,
      })
      expect(await readAll(files, file)).toHaveLength(0)
    })

    it('show an owner nothing of another one, with the same bytes too', async () => {
      const content = randomBytes(1_000)
      const mine = await put(content, 'ann')
      expect(await files.get('bob', mine.id)).toBeUndefined()
      expect(await files.remove('bob', mine.id, true)).toBe('missing')
      expect(await files.refer('bob', 'session', [mine.id])).toEqual([])
      expect(await idsOf('bob')).toEqual([])
      const theirs = await put(content, 'bob')
      expect(await files.remove('ann', mine.id, false)).toBe('removed')
      expect((await readAll(files, theirs)).equals(content)).toBe(true)
      expect(await codeOf(readAll(files, mine))).toBe('file_not_found')
    })

    it('count the same bytes of an owner once, and keep them until the last file of them is gone', async () => {
      const content = randomBytes(2_500 * KIB)
      const first = await put(content)
      await files.remove('ann', (await put(randomBytes(1_000 * KIB))).id, false)
      const second = await put(Buffer.concat([content]).subarray(0, 1_500 * KIB))
      expect(await files.remove('ann', second.id, false)).toBe('removed')
      await put(content.subarray(0, 1_500 * KIB))
      expect(await files.remove('ann', first.id, false)).toBe('removed')
      const again = await put(content)
      expect((await readAll(files, again)).equals(content)).toBe(true)
    })

    it('end an upload that is too large, and one that the owner has no room for, while it is streaming', async () => {
      const upload = await files.begin('ann')
      for (let n = 0; n < 10; n++) await upload.write(randomBytes(300 * KIB))
      expect(await codeOf(upload.write(Buffer.alloc(1)))).toBe('payload_too_large')
      await upload.abort()
      await put(randomBytes(2_500 * KIB))
      expect(await codeOf(put(randomBytes(2_500 * KIB)))).toBe('owner_storage_full')
      // What was aborted takes no room, and another owner has its own.
      await put(randomBytes(1_400 * KIB))
      await put(randomBytes(2_500 * KIB), 'bob')
    })

    it('limit the number of files', async () => {
      for (let n = 0; n < LIMITS.count; n++) await put(randomBytes(10))
      expect(await codeOf(put(randomBytes(10)))).toBe('limit_reached')
      expect(await idsOf('ann')).toHaveLength(LIMITS.count)
    })

    it('take the same id again as the same file, with the later expiry', async () => {
      const content = randomBytes(100)
      await put(content, 'ann', { id: 'file_same' })
      time += HOUR
      const again = await put(content, 'ann', { id: 'file_same' })
      expect(again).toMatchObject({ created_at: time - HOUR, expires_at: time + 24 * HOUR })
      expect(await codeOf(put(randomBytes(100), 'ann', { id: 'file_same' }))).toBe('conflict')
      expect(await idsOf('ann')).toEqual(['file_same'])
      expect((await readAll(files, again)).equals(content)).toBe(true)
    })

    it('list the newest first, page by page, without skipping files of one moment', async () => {
      for (let n = 0; n < 5; n++) {
        await put(randomBytes(10))
        if (n % 2 === 1) time += 1
      }
      const seen: string[] = []
      let after: string | undefined
      for (;;) {
        const page = await files.list('ann', { limit: 2, ...(after === undefined ? {} : { after }) })
        seen.push(...page.items.map(file => file.id))
        if (page.next === null) break
        after = page.next
      }
      expect(seen).toEqual(['file_5', 'file_4', 'file_3', 'file_2', 'file_1'])
      expect(await codeOf(files.list('ann', { limit: 2, after: "' or 1=1" }))).toBe('invalid_cursor')
    })

    it('keep a file that a session refers to beyond its expiry, until the session is gone', async () => {
      const [kept, other] = [await put(randomBytes(10)), await put(randomBytes(20))]
      const [referred] = await files.refer('ann', 's1', [kept.id, 'file_unknown', kept.id])
      expect(referred).toMatchObject({ id: kept.id, is_used: true })
      expect(await files.ofSession('s1', kept.id)).toMatchObject({ id: kept.id })
      expect(await files.ofSession('s1', other.id)).toBeUndefined()
      time += 26 * HOUR
      expect(await files.get('ann', other.id)).toBeUndefined()
      expect(await files.refer('ann', 's1', [other.id])).toEqual([])
      await files.copyReferences('s1', 's2')
      await files.release('s1')
      time += 2 * HOUR
      await sweep('s2')
      expect(await idsOf('ann')).toEqual([kept.id])
      expect(await codeOf(readAll(files, other))).toBe('file_not_found')
      // The process ended before it could release it.
      await sweep()
      expect(await idsOf('ann')).toEqual([])
      expect(await codeOf(readAll(files, kept))).toBe('file_not_found')
    })

    it('delete a file in use only by force', async () => {
      const content = randomBytes(10)
      const file = await put(content)
      await files.refer('ann', 's1', [file.id])
      expect(await files.remove('ann', file.id, false)).toBe('used')
      expect(await files.remove('ann', file.id, true)).toBe('removed')
      expect(await files.ofSession('s1', file.id)).toBeUndefined()
      expect(await files.remove('ann', file.id, true)).toBe('missing')
    })

    it('keep new references of a session that does not exist yet', async () => {
      const file = await put(randomBytes(10))
      await files.refer('ann', 'soon', [file.id])
      await sweep()
      expect(await files.ofSession('soon', file.id)).toBeDefined()
    })

    it('take uploads of the same bytes, and deletions of them, at once', async () => {
      const content = randomBytes(1_100 * KIB)
      const all = await Promise.all(Array.from({ length: 3 }, () => put(content)))
      const [first, second, third] = all as [StoredFile, StoredFile, StoredFile]
      await Promise.all([
        files.remove('ann', first.id, false),
        files.remove('ann', second.id, false),
        put(content),
        files.remove('ann', third.id, false),
      ])
      const [left] = (await files.list('ann', { limit: 10 })).items
      expect(left).toBeDefined()
      if (left) expect((await readAll(files, left)).equals(content)).toBe(true)
      await sweep()
      // Nothing but this one takes room.
      await put(randomBytes(2_800 * KIB))
    })

    it('show another node what this one stored', async () => {
      const second = harness.again?.()
      if (!second) return
      const content = randomBytes(1_500 * KIB)
      const file = await put(content)
      expect((await readAll(second, file)).equals(content)).toBe(true)
      expect(await second.get('ann', file.id)).toEqual(file)
      await second.close()
    })

    it('close more than once', async () => {
      await files.close()
      await files.close()
    })
  })
}
