/**
 * `npm start`: the built command while every file that it was built from is as it was then, else the sources. So an
 * edit always runs, and who edits nothing starts faster. JavaScript, because taking types out takes longer than all this.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const main = isBuilt() ? 'packages/cli/dist/main.js' : 'packages/cli/src/main.ts'

await import(pathToFileURL(join(ROOT, main)).href)

/** Whether size and time of change of every file are those of the list; false without a list. */
function isBuilt() {
  try {
    const inputs = JSON.parse(readFileSync(join(ROOT, 'packages/cli/.cache/inputs.json'), 'utf8'))
    return inputs.every(({ file, mtimeMs, size }) => {
      const now = statSync(join(ROOT, file))
      return now.mtimeMs === mtimeMs && now.size === size
    })
  } catch {
    return false
  }
}
