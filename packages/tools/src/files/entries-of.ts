/** Lists a directory synchronously, for decisions that must not wait. */
import { opendirSync } from 'node:fs'
import type { DirectoryEntry } from '../permissions/shell/read-hazards.ts'

/** More than a decision looks at, so that a caller sees that there may be others. */
const MAX_ENTRIES = 20_001

/** Empty if it is missing or unreadable. */
export function entriesOf(path: string): readonly DirectoryEntry[] {
  const found: DirectoryEntry[] = []
  try {
    const dir = opendirSync(path, { bufferSize: 1024 })
    try {
      for (let entry = dir.readSync(); entry && found.length < MAX_ENTRIES; entry = dir.readSync())
        found.push({ name: entry.name, isLink: entry.isSymbolicLink() })
    } finally {
      dir.closeSync()
    }
    return found
  } catch {
    return []
  }
}
