/**
 * Makes a folder and those above it. Node's own recursive mkdir never ends below a folder whose system answers that the
 * parent does not exist, as /proc does.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Nothing happens when it is there. Throws what the system says when it cannot be made, or is no folder. */
export function makeFolder(path: string): void {
  const missing: string[] = []
  for (let at = resolve(path); !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.push(at)
  for (const folder of missing.toReversed()) makeOne(folder)
  if (!statSync(path).isDirectory()) throw new Error(`ENOTDIR: not a directory, '${path}'`)
}

/** Another process may have made it meanwhile. */
function makeOne(folder: string): void {
  try {
    mkdirSync(folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
}
