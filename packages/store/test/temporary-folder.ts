/** Folders that tests write to, each its own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TemporaryFolder {
  readonly path: string
  readonly file: string
  readonly remove: () => Promise<void>
}

export async function makeTemporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'toolwire-store-'))
  return { path, file: join(path, 'toolwire.db'), remove: () => rm(path, { recursive: true, force: true }) }
}
