/** The stamp of a file that something was built from. `start.js` compares it with the current one. */
import { statSync } from 'node:fs'
import { relative } from 'node:path'

interface FileStamp {
  /** Below the root. */
  readonly file: string
  readonly mtimeMs: number
  readonly size: number
}

/** In the order of the files, which are absolute. Throws for one that is not there. */
export const stampsOf = (files: readonly string[], root: string): readonly FileStamp[] =>
  files.map(file => {
    const { mtimeMs, size } = statSync(file)
    return { file: relative(root, file), mtimeMs, size }
  })
