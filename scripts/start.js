/**
 * `npm start`: the built command while every file that it was built from is unchanged, else the sources. So an edit
 * always runs, and a checkout without edits starts faster. JavaScript that old versions of Node can read.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const [major, minor] = process.versions.node.split('.').map(Number)

if (major > 24 || (major === 24 && minor >= 16)) {
  const main = isBuilt() ? 'packages/cli/dist/main.js' : 'packages/cli/src/main.ts'
  await import(pathToFileURL(join(ROOT, main)).href)
} else {
  process.stderr.write(
    `toolwire: Node 24.16 or later is needed, but this is Node ${process.versions.node}; \`npm start\` brings its own.\n`,
  )
  process.exitCode = 6
}

/** Compares size and modification time of every file with the list; false without a list. */
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
