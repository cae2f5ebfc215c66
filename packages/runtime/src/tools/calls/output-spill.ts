/**
 * What a call says while it runs, written to the file of its output as it comes: a call that is stopped, or cut
 * off by a crash, leaves all of it. A call that ends well says everything in its result, which takes its place.
 */
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import type { ToolContext } from '@toolwire/core'
import { artifactPath } from '../bound-output.ts'

export interface OutputSpill {
  /** Resolves when it is in the file. What cannot be written is left out. Never throws. */
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

  async function begin(): Promise<FileHandle | undefined> {
    try {
      await mkdir(context.artifacts, { recursive: true })
      return await open(path, 'w')
    } catch {
      return undefined
    }
  }

  return {
    async write(text) {
      file ??= begin()
      const handle = await file
      const written = await handle?.appendFile(text).then(
        () => true,
        () => false,
      )
      isThere ||= written === true
    },
    path: () => (isThere ? path : undefined),
    async end(keep) {
      const handle = await file
      await handle?.close().catch(() => undefined)
      if (handle && !keep) await rm(path, { force: true }).catch(() => undefined)
    },
  }
}
