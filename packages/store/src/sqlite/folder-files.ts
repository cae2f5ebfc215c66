/**
 * Files in a folder of one process: contents by owner and hash, and a small SQLite database that names them. The folder
 * is made with the first file. A content is moved to its place before the database names it, and is deleted after.
 */
import { createHash, randomUUID } from 'node:crypto'
import { closeSync, constants, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import {
  AppError,
  type ByteRange,
  FILE_LIMITS,
  type FileDetails,
  type FileLimits,
  type FileStore,
  type FileUpload,
  type StoredFile,
} from '@toolwire/core'
import { countUpload, idTaken, missingFile, ownerFull, tooMany, type UploadCount } from '../counted-upload.ts'
import { type FileRow, GRACE_MS, readPosition, SWEEP_PAGE, toDetails, toFile, toPage } from '../file-rows.ts'
import { makePrivateDirectory } from '../private-files.ts'
import { type FileStatements, prepareFiles } from './folder-schema.ts'

export interface FolderFilesOptions {
  readonly dir: string
  readonly limits?: FileLimits
  readonly now?: () => number
}

type Content = Pick<StoredFile, 'owner' | 'sha256'>

const CHUNK = 256 * 1024
const READ = constants.O_RDONLY | constants.O_NOFOLLOW

/** No other process may have the folder open: uploads that it finds there are left over and deleted. */
export const openFolderFiles = ({
  dir,
  limits = FILE_LIMITS,
  now = Date.now,
}: FolderFilesOptions): FileStore => new FolderFiles(dir, limits, now)

class FolderFiles implements FileStore {
  readonly #dir: string
  readonly #uploads: string
  readonly #contents: string
  readonly #limits: FileLimits
  readonly #now: () => number
  /** Bytes of each owner, those on their way in included. */
  readonly #used = new Map<string, number>()
  #opened: FileStatements | undefined
  #isClosed = false

  constructor(dir: string, limits: FileLimits, now: () => number) {
    this.#dir = dir
    this.#uploads = join(dir, 'uploads')
    this.#contents = join(dir, 'contents')
    this.#limits = limits
    this.#now = now
  }

  async begin(owner: string): Promise<FileUpload> {
    this.#sql()
    const path = join(this.#uploads, randomUUID())
    const handle = await open(path, 'wx', 0o600).catch(fail)
    const counted = countUpload(this.#limits)
    let reserved = 0
    let isOver = false
    const abort = async (): Promise<void> => {
      if (isOver) return
      isOver = true
      await handle.close().catch(() => undefined)
      if (this.#isClosed) return
      this.#count(owner, -reserved)
      rmSync(path, { force: true })
    }
    return {
      write: async chunk => {
        counted.add(chunk)
        if (this.#usedBy(owner) + chunk.length > this.#limits.owner) throw ownerFull(this.#limits)
        this.#count(owner, chunk.length)
        reserved += chunk.length
        await handle.appendFile(chunk).catch(fail)
      },
      finish: async details => {
        try {
          await handle.sync()
          await handle.close()
          this.#settle(owner, path, counted, details)
        } catch (error) {
          await abort()
          return fail(error)
        }
        isOver = true
        return this.#find(owner, details.id) ?? Promise.reject(missingFile())
      },
      abort,
    }
  }

  async get(owner: string, id: string): Promise<StoredFile | undefined> {
    return this.#find(owner, id)
  }

  async list(owner: string, { after, limit }: { readonly after?: string; readonly limit: number }) {
    const { page } = this.#sql()
    const rows = page.all({ owner, ...readPosition(after), now: this.#now(), limit: limit + 1 })
    return toPage(rows as unknown as readonly FileRow[], limit)
  }

  async *read(
    file: Content & Pick<StoredFile, 'bytes'>,
    range: ByteRange = { start: 0, end: file.bytes - 1 },
  ) {
    const handle = await open(this.#pathOf(file), READ).catch(() => Promise.reject(missingFile()))
    try {
      if (range.end >= range.start)
        yield* handle.createReadStream({ ...range, highWaterMark: CHUNK, autoClose: false })
    } finally {
      await handle.close()
    }
  }

  async remove(owner: string, id: string, force: boolean): Promise<'removed' | 'used' | 'missing'> {
    const file = this.#find(owner, id)
    if (!file) return 'missing'
    if (file.is_used && !force) return 'used'
    this.#drop(file)
    return 'removed'
  }

  async refer(owner: string, session: string, ids: readonly string[]): Promise<readonly StoredFile[]> {
    return [...new Set(ids)].flatMap(id => {
      if (!this.#find(owner, id)) return []
      this.#sql().refer.run(session, id, this.#now())
      return this.#find(owner, id) ?? []
    })
  }

  async ofSession(session: string, id: string): Promise<StoredFile | undefined> {
    const row = this.#sql().ofSession.get({ session, id })
    return row && toFile(row as unknown as FileRow)
  }

  async copyReferences(from: string, to: string): Promise<void> {
    this.#sql().copy.run({ from, to, now: this.#now() })
  }

  async release(session: string): Promise<void> {
    if (existsSync(this.#dir)) this.#sql().release.run(session)
  }

  async sweep(findSessions: (ids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void> {
    if (!existsSync(this.#dir)) return
    const { sessions, release, expired } = this.#sql()
    for (let after = ''; ; ) {
      const page = sessions.all({ before: this.#now() - GRACE_MS, after, limit: SWEEP_PAGE })
      const ids = page.map(row => String(row['session']))
      const last = ids.at(-1)
      if (last === undefined) break
      const present = await findSessions(ids)
      for (const id of ids) if (!present.has(id)) release.run(id)
      after = last
    }
    for (let row = expired.get({ now: this.#now() }); row; row = expired.get({ now: this.#now() })) {
      this.#drop(toFile(row as unknown as FileRow))
      await yieldToLoop()
    }
    await this.#dropUnnamed()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#opened?.db.isOpen) this.#opened.db.close()
  }

  #sql(): FileStatements {
    if (this.#isClosed) throw new AppError('shutting_down')
    if (this.#opened) return this.#opened
    rmSync(this.#uploads, { recursive: true, force: true })
    for (const folder of [this.#dir, this.#uploads, this.#contents]) makePrivateDirectory(folder)
    this.#opened = prepareFiles(this.#dir)
    return this.#opened
  }

  #find(owner: string, id: string): StoredFile | undefined {
    const row = this.#sql().find.get({ owner, id, now: this.#now() })
    return row && toFile(row as unknown as FileRow)
  }

  #usedBy(owner: string): number {
    return this.#used.get(owner) ?? Number(this.#sql().used.get(owner)?.['n'] ?? 0)
  }

  #count(owner: string, bytes: number): void {
    this.#used.set(owner, this.#usedBy(owner) + bytes)
  }

  #folderOf(owner: string): string {
    return join(this.#contents, createHash('sha256').update(owner).digest('hex').slice(0, 32))
  }

  #pathOf({ owner, sha256 }: Content): string {
    return join(this.#folderOf(owner), sha256)
  }

  /** In one step of this process: no sweep sees a content in its place without its name. */
  #settle(owner: string, path: string, counted: UploadCount, details: FileDetails): void {
    const { contentOf, hasContent, addContent, add, count } = this.#sql()
    const { id, created_at, expires_at } = details
    if (Number(count.get({ owner, id })?.['n']) >= this.#limits.count) throw tooMany(this.#limits)
    const [bytes, sha256] = [counted.bytes(), counted.sha256()]
    const before = contentOf.get(id)
    if (before && before['sha256'] !== sha256) throw idTaken()
    const isKnown = hasContent.get(owner, sha256) !== undefined
    // Read first: the new row must not be counted twice.
    const used = this.#usedBy(owner)
    makePrivateDirectory(this.#folderOf(owner))
    renameSync(path, this.#pathOf({ owner, sha256 }))
    syncFolder(this.#folderOf(owner))
    this.#inTransaction(() => {
      addContent.run(owner, sha256, bytes)
      add.run({ id, owner, sha256, bytes, created_at, expires_at, details: toDetails(details) })
    })
    this.#used.set(owner, isKnown ? used - bytes : used)
  }

  #drop(file: Pick<StoredFile, 'id' | 'owner' | 'sha256'>): void {
    const { drop, dropContent } = this.#sql()
    const used = this.#usedBy(file.owner)
    let freed: number | undefined
    this.#inTransaction(() => {
      drop.run(file.id)
      const [gone] = dropContent.all({ owner: file.owner, sha256: file.sha256 })
      freed = gone && Number(gone['bytes'])
    })
    if (freed === undefined) return
    this.#used.set(file.owner, used - freed)
    rmSync(this.#pathOf(file), { force: true })
  }

  #inTransaction(work: () => void): void {
    const { db } = this.#sql()
    db.exec('begin immediate')
    try {
      work()
      db.exec('commit')
    } catch (error) {
      db.exec('rollback')
      throw error
    }
  }

  /** Deletes what a killed process moved to its place and did not name. */
  async #dropUnnamed(): Promise<void> {
    for (const folder of await readdir(this.#contents))
      for (const sha256 of await readdir(join(this.#contents, folder))) {
        const owners = this.#sql().owners.all(sha256)
        if (!owners.some(({ owner }) => this.#folderOf(String(owner)) === join(this.#contents, folder)))
          rmSync(join(this.#contents, folder, sha256), { force: true })
        await yieldToLoop()
      }
  }
}

/** The name of a new file survives a power loss. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}

function fail(error: unknown): never {
  if (AppError.is(error)) throw error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  throw new AppError(/^(?:ENOSPC|EDQUOT|EFBIG)$/.test(code) ? 'storage_full' : 'storage_error')
}
