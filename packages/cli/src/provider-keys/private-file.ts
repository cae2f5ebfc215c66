/** A JSON file that its owner alone can read. A crash leaves the old content or the new one, whole. */
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makePrivateDirectory } from '@toolwire/store'

export const OWNER_ONLY = 0o600

export const draftOf = (path: string): string => `${path}.draft`

/** Resolves when it would survive a loss of power. One call at a time. Throws what the file system throws. */
export async function writePrivateFile(path: string, content: object): Promise<void> {
  const draft = draftOf(path)
  makePrivateDirectory(dirname(path))
  await rm(draft, { force: true })
  // A new file, so that the mode is ours from the first byte on.
  const file = await open(draft, 'wx', OWNER_ONLY)
  try {
    await file.writeFile(`${JSON.stringify(content, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
