/** Opens the SQLite store: folder, lock, thread, preview files, second connection, in that order. */
import { dirname, join, resolve } from 'node:path'
import type { Store } from '@toolwire/core'
import { makePrivateDirectory } from '../private-files.ts'
import { StoreOpenError } from '../store-errors.ts'
import { checkIntegrity, type IntegrityCheck } from './check-integrity.ts'
import { createCheckpointReader } from './checkpoint-file.ts'
import { createDeferred } from './deferred.ts'
import { createSessionLister, type SessionLister } from './list-sessions.ts'
import { acquireLock } from './lock-file.ts'
import { openPreviewFile, type PreviewFile } from './preview-file.ts'
import { openReader } from './reader.ts'
import { createSessionCache } from './session-cache.ts'
import { SqliteStore } from './sqlite-store.ts'
import { createStatementClient } from './statement-client.ts'
import { createUnsettled } from './unsettled.ts'
import { startWriter, type WriterClient } from './writer-client.ts'

export interface SqliteStoreOptions {
  /** Folder of the data, made when absent; the database is `toolwire.db` in it. */
  readonly dir?: string
  /** The database file itself, instead of `dir`. */
  readonly file?: string
  /** Milliseconds since 1970; the system clock by default. */
  readonly now?: () => number
  /** The database never grows beyond this many bytes; appends are then refused with `storage_full`. */
  readonly maxBytes?: number
  /** Called when the check after an unclean end, which runs beside the service, finds damage. Must not throw. */
  readonly onDamage?: (problem: string) => void
  /** Milliseconds from opening to that check. */
  readonly checkAfterMs?: number
}

const CHECK_AFTER_MS = 15_000

/**
 * Rejects with StoreLockedError when the data are open elsewhere and with StoreOpenError when
 * they cannot be used. The caller closes the store.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const file = resolve(options.file ?? join(options.dir ?? '.', 'toolwire.db'))
  makeDataFolder(dirname(file))
  const lock = acquireLock(`${file}.lock`)
  try {
    const unsettled = createUnsettled()
    const deferred = createDeferred()
    const writer = await startWriter({ file, maxBytes: options.maxBytes ?? null })
    const previews = await openPreviews(file, writer)
    const reader = openReader(file)
    const thread = createStatementClient(file)
    const lister = createSessionLister(reader.db, thread)
    return new SqliteStore({
      file,
      reader,
      lister,
      writer: followedBy(lister, writer),
      cache: createSessionCache(reader, { unsettled, deferred }, writer.nextNum),
      unsettled,
      deferred,
      previews,
      checkpointReader: createCheckpointReader(file),
      thread,
      check: writer.wasLeftOpen && options.onDamage ? startCheck(file, options) : undefined,
      maxBytes: options.maxBytes,
      now: options.now ?? Date.now,
      onClosed: lock.release,
    })
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Checks the file after a while: the start and its first requests come first. */
function startCheck(
  file: string,
  { onDamage, checkAfterMs = CHECK_AFTER_MS }: SqliteStoreOptions,
): Pick<IntegrityCheck, 'stop'> {
  let check: IntegrityCheck | undefined
  const timer = setTimeout(() => {
    check = checkIntegrity(file)
    void check.result.then(problem => problem !== undefined && onDamage?.(problem))
  }, checkAfterMs).unref()
  return {
    async stop() {
      clearTimeout(timer)
      await check?.stop()
    },
  }
}

/** Reports every commit to the list before the caller is answered. */
const followedBy = ({ follow }: SessionLister, writer: WriterClient): WriterClient => ({
  fold: writer.fold,
  checkpoint: writer.checkpoint,
  async request(request) {
    await writer.request(request)
    follow(request)
  },
})

async function openPreviews(file: string, writer: WriterClient): Promise<PreviewFile> {
  try {
    return openPreviewFile(file)
  } catch (error) {
    await writer.request({ type: 'close' })
    const message = error instanceof Error ? error.message : String(error)
    throw new StoreOpenError('store_unwritable', file, `The files beside it cannot be written: ${message}`)
  }
}

function makeDataFolder(path: string): void {
  try {
    makePrivateDirectory(path)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new StoreOpenError('store_unwritable', path, `The data folder cannot be made: ${message}`)
  }
}
