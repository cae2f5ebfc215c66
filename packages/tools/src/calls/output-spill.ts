/**
 * Writes the output of a running call to its file as it arrives: a stopped or interrupted call leaves all of it. A
 * call that ends well has everything in its result, which replaces it.
 */
import { type FileHandle, rm } from 'node:fs/promises'
import type { ToolContext } from '@toolwire/core'
import { artifactPath } from '../bound-output.ts'
import { openFresh } from '../safe-files/put-file.ts'

export interface OutputSpill {
  /** Resolves when it is in the file. What cannot be written, or is beyond the quota, is left out. Never throws. */
  readonly write: (text: string) => Promise<void>
  /** The file, when it holds something. */
  readonly path: () => string | undefined
  /** Closes the file and, unless it is to be kept, removes it. Never throws. */
  readonly end: (keep: boolean) => Promise<void>
}

export function createOutputSpill(context: ToolContext): OutputSpill {
  const path = artifactPath(context)
  let file: Promise<FileHandle | undefined> | undefined
  let isThere = false
  let stored = 0

  async function begin(): Promise<FileHandle | undefined> {
    try {
      return await openFresh(path)
    } catch {
      return undefined
    }
  }

  return {
    async write(text) {
      file ??= begin()
      const handle = await file
      const bytes = Buffer.from(text)
      const room = handle ? (context.disk?.take(bytes.length) ?? bytes.length) : 0
      if (room === 0) return
      stored += room
      const written = await handle?.appendFile(bytes.subarray(0, room)).then(
        () => true,
        () => false,
      )
      isThere ||= written === true
    },
    path: () => (isThere ? path : undefined),
    async end(keep) {
      const handle = await file
      await handle?.close().catch(() => undefined)
      if (!handle || keep) return
      await rm(path, { force: true }).catch(() => undefined)
      context.disk?.giveBack(stored)
    },
  }
}
