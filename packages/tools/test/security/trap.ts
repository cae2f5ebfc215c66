/** A folder of a workspace that can become a link to one outside, which holds secrets. */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

export const SECRET = 'outside-secret'
const NOTEBOOK = JSON.stringify({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: {},
  cells: [
    { id: 'one', cell_type: 'code', metadata: {}, outputs: [], execution_count: null, source: 'inside' },
  ],
})

/** A folder with files, and one outside that looks the same and holds secrets. */
export interface Trap {
  readonly folder: string
  readonly outside: string
  readonly swap: () => void
  readonly unswap: () => void
  /** As it was before anything happened. */
  readonly reset: () => void
}

export function layTrap(folder: string, outside: string): Trap {
  const fill = (at: string, text: string): void => {
    rmSync(at, { recursive: true, force: true })
    mkdirSync(join(at, 'deep'), { recursive: true })
    writeFileSync(join(at, 'a.txt'), text)
    writeFileSync(join(at, 'a.ipynb'), NOTEBOOK.replace('inside', text))
  }
  const unswap = (): void => {
    if (!lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return
    unlinkSync(folder)
    renameSync(`${folder}.away`, folder)
  }
  return {
    folder,
    outside,
    swap() {
      if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return
      renameSync(folder, `${folder}.away`)
      symlinkSync(outside, folder)
    },
    unswap,
    reset() {
      unswap()
      rmSync(`${folder}.away`, { recursive: true, force: true })
      fill(folder, 'inside')
      fill(outside, SECRET)
    },
  }
}

/** Names and contents of everything below. */
export function contentsOf(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .map(entry => join(entry.parentPath, entry.name))
    .map(one => (lstatSync(one).isFile() ? `${one}: ${readFileSync(one, 'utf8')}` : one))
    .sort()
}
