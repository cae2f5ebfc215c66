/** Files that calls stored: counted at the start, removed with their session. */
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Store } from '@toolwire/core'
import { artifactFile, type DiskQuota, sweepArtifacts } from '@toolwire/tools'

const WEEK = 7 * 86_400_000
const GIGABYTE = 1024 ** 3

/** A deleted session takes its files along, so that its owner can store others. */
export function removeWithFiles(store: Store, artifacts: string, disk: DiskQuota): Store {
  return {
    ...store,
    async remove(session) {
      const isRemoved = await store.remove(session)
      if (isRemoved) {
        const folder = dirname(artifactFile(artifacts, session, 'any'))
        await rm(folder, { recursive: true, force: true }).catch(() => undefined)
        disk.forget(session)
      }
      return isRemoved
    },
  }
}

/** Outputs of deleted sessions go, once per start and beside the work; a failure costs disk space, nothing else. */
export function sweep(store: Store, artifacts: string, disk: DiskQuota): void {
  sweepArtifacts(artifacts, {
    max_age_ms: WEEK,
    max_bytes: GIGABYTE,
    now: Date.now(),
    isReferenced: async folder => (await store.list({ ids: [folder], limit: 1 })).items.length > 0,
    onKept: disk.addMeasured,
  }).catch(() => {})
}
