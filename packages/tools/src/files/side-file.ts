/**
 * Reads files that no call named, such as `.editorconfig`. The project's author controls them, so a link never
 * leads outside of what the reader allows, and pipes, devices and huge files are treated as absent.
 */
import { dirname } from 'node:path'
import { openFile, readUpTo, readWhole } from '../safe-files/open-file.ts'
import { canonicalPath, isInside } from './resolve-path.ts'

const MAX_BYTES = 1024 * 1024

/** The text, undefined for what is not there or may not be read. A link must stay in the directory it lies in. Never throws. */
export async function readSideFile(path: string): Promise<string | undefined> {
  const real = canonicalPath(path)
  if (!isInside(real, canonicalPath(dirname(path)))) return undefined
  const bytes = await readWhole(real, MAX_BYTES).catch(() => undefined)
  return bytes?.toString('utf8')
}

/** The beginning of a text. `allows` is asked about the place that the path leads to. Never throws. */
export async function readSideHead(
  path: string,
  limit: number,
  allows: (real: string) => boolean,
): Promise<string | undefined> {
  const real = canonicalPath(path)
  if (!allows(real)) return undefined
  const file = await openFile(real).catch(() => undefined)
  if (!file) return undefined
  try {
    return (await readUpTo(file, limit)).toString('utf8')
  } catch {
    return undefined
  } finally {
    await file.close()
  }
}
