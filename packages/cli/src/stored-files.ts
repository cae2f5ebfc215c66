/** Files of sessions: what calls stored and what users sent. Counted at the start, removed with their session. */
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FileStore, Store } from '@toolwire/core'
import { openFolderFiles } from '@toolwire/store'
import { artifactFile, type DiskQuota, sweepArtifacts } from '@toolwire/tools'
import type { Config } from './config.ts'

const WEEK = 7 * 86_400_000
const GIGABYTE = 1024 ** 3

const HOUR_MS = 3_600_000

/** In the database that the servers share, or in the data folder. The caller closes it. */
export async function openFiles({ data, database }: Pick<Config, 'data' | 'database'>): Promise<FileStore> {
  if (database === undefined) return openFolderFiles({ dir: join(data, 'files') })
  const { openDatabaseFiles } = await import('./open-database.ts')
  return openDatabaseFiles(database)
}

export interface SessionFiles {
  readonly artifacts: string
  readonly disk: DiskQuota
  readonly files: FileStore
}

/** A deleted session takes its files along, so that its owner can store others. */
export function removeWithFiles(store: Store, { artifacts, disk, files }: SessionFiles): Store {
  return {
    ...store,
    async remove(session) {
      const isRemoved = await store.remove(session)
      if (isRemoved) {
        const folder = dirname(artifactFile(artifacts, session, 'any'))
        await rm(folder, { recursive: true, force: true }).catch(() => undefined)
        disk.forget(session)
        // The next sweep finds what is left of it.
        await files.release(session).catch(() => undefined)
      }
      return isRemoved
    },
  }
}

/** Beside the work; a failure costs disk space, nothing else. Returns a function that ends it. */
export function sweep(store: Store, { artifacts, disk, files }: SessionFiles): () => void {
  sweepArtifacts(artifacts, {
    max_age_ms: WEEK,
    max_bytes: GIGABYTE,
    now: Date.now(),
    isReferenced: async folder => (await findSessions(store, [folder])).has(folder),
    onKept: disk.addMeasured,
  }).catch(() => {})
  const sweepFiles = (): void => void files.sweep(ids => findSessions(store, ids)).catch(() => {})
  sweepFiles()
  const timer = setInterval(sweepFiles, HOUR_MS)
  timer.unref()
  return () => clearInterval(timer)
}

async function findSessions(store: Store, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { items } = await store.list({ ids, limit: ids.length })
  return new Set(items.map(({ id }) => id))
}
