/** Checks if one file has several names: by case, on file systems that ignore it, or by hard links. */
import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * True if names that differ in case alone are one file, judged by the deepest existing part of the path that has a
 * letter. Never throws.
 */
export function ignoresCase(path: string): boolean {
  for (let at = path; dirname(at) !== at; at = dirname(at)) {
    const name = basename(at)
    const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()
    const id = other === name ? undefined : idOf(at)
    if (id !== undefined) return id === idOf(join(dirname(at), other))
  }
  return false
}

function idOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}

/** False for what is no file. Never throws. */
export function hasOtherNames(path: string): boolean {
  try {
    const found = statSync(path)
    return found.isFile() && found.nlink > 1
  } catch {
    return false
  }
}
