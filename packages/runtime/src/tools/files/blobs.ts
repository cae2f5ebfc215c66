/** Contents that tools may need again, by their hash: what was read (for diffs), what was overwritten (for undo). */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ToolContext } from '@toolwire/core'
import { hashOf } from './ledger.ts'

const MAX_SEEN = 256 * 1024

/** Whose contents they are: the session's folder, and who keeps them. */
type BlobKeeper = Pick<ToolContext, 'artifacts' | 'call_id'>

/** The hash under which it is kept. Idempotent; throws when the disk is full. */
export async function keepBlob(context: BlobKeeper, bytes: Uint8Array): Promise<string> {
  const sha256 = hashOf(bytes)
  const dir = join(context.artifacts, 'blobs')
  await mkdir(dir, { recursive: true })
  const temporary = join(dir, `${sha256}.${context.call_id.replaceAll(/\W/g, '_')}`)
  await writeFile(temporary, bytes)
  await rename(temporary, join(dir, sha256))
  return sha256
}

/** For a later diff only: large contents and errors are passed over. */
export async function keepSeen(context: ToolContext, bytes: Uint8Array): Promise<void> {
  if (bytes.length <= MAX_SEEN) await keepBlob(context, bytes).catch(() => undefined)
}

export async function findBlob(
  context: Pick<BlobKeeper, 'artifacts'>,
  sha256: string,
): Promise<Uint8Array | undefined> {
  return await readFile(join(context.artifacts, 'blobs', sha256)).catch(() => undefined)
}
