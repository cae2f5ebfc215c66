/** Contents that tools may need again, by their hash: what was read (for diffs), what was overwritten (for undo). */
import { join } from 'node:path'
import type { ToolContext } from '@toolwire/core'
import { putCounted } from '../disk-quota.ts'
import { LARGEST_WRITTEN, readWhole } from '../safe-files/open-file.ts'
import { hashOf } from './ledger.ts'

const MAX_SEEN = 256 * 1024

/** Whose contents they are: the session's folder. */
type BlobKeeper = Pick<ToolContext, 'artifacts' | 'disk'>

/** The hash under which it is kept. Idempotent; throws when the disk or the quota is full. */
export async function keepBlob(context: BlobKeeper, bytes: Uint8Array): Promise<string> {
  const sha256 = hashOf(bytes)
  await putCounted(join(context.artifacts, 'blobs', sha256), bytes, context.disk)
  return sha256
}

/** For a later diff only: large contents and errors are passed over. */
export async function keepSeen(context: ToolContext, bytes: Uint8Array): Promise<void> {
  if (bytes.length <= MAX_SEEN) await keepBlob(context, bytes).catch(() => undefined)
}

export async function findBlob(context: BlobKeeper, sha256: string): Promise<Uint8Array | undefined> {
  return await readWhole(join(context.artifacts, 'blobs', sha256), LARGEST_WRITTEN).catch(() => undefined)
}
