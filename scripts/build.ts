/**
 * Builds every package into its `dist`, as it is published: JavaScript and declarations; the command
 * as a bundle with the web app. `node scripts/build.ts --to FOLDER` builds into FOLDER/<package>/dist instead.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildCommand, buildCommandHere } from './build-command.ts'
import { copyLibraryTypes } from './library-types.ts'
import { ROOT } from './root.ts'

const PACKAGES = join(ROOT, 'packages')
/** The package that is bundled. */
const COMMAND = 'cli'
/** The declarations of its one entry for programs; they name no other file. */
const TYPES = 'src/testing.d.ts'
/** Those of the library do, also of other packages. */
const LIBRARY_TYPES = ['index.d.ts', 'fastify.d.ts', 'next.d.ts']

/** Types are checked by `npm run check`, not here. Throws when the web app has not been built. */
export async function build(to: string): Promise<void> {
  await (to === PACKAGES ? buildCommandHere() : buildCommand(join(to, COMMAND, 'dist')))
  const work = mkdtempSync(join(tmpdir(), 'toolwire-build-'))
  try {
    const compiler = join(ROOT, 'node_modules/@typescript/native/bin/tsc')
    const project = join(ROOT, 'tsconfig.build.json')
    execFileSync(process.execPath, [compiler, '-p', project, '--outDir', work], { stdio: 'inherit' })
    cpSync(join(work, COMMAND, TYPES), join(to, COMMAND, 'dist/testing.d.ts'))
    copyLibraryTypes(COMMAND, LIBRARY_TYPES, { from: work, to: join(to, COMMAND, 'dist/types') })
    for (const name of readdirSync(PACKAGES).filter(one => one !== COMMAND)) {
      const dist = join(to, name, 'dist')
      rmSync(dist, { recursive: true, force: true })
      cpSync(join(work, name, 'src'), dist, { recursive: true })
      copyData(join(PACKAGES, name, 'src'), dist)
      finish(dist)
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Data that modules import; the compiler leaves some of it behind. */
function copyData(from: string, to: string): void {
  for (const file of readdirSync(from, { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.json')) cpSync(join(from, file), join(to, file))
}

/** Declarations name built files; a package's own JSX is one of its files: not every bundler finds a package from inside itself. */
function finish(dist: string): void {
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const path = join(dist, file)
    if (file.endsWith('.js')) {
      const runtime = relative(dirname(path), join(dist, 'jsx-runtime.js')).replace(/^(?!\.)/, './')
      rewrite(path, text =>
        text.replace(
          /(from )(['"])@toolwire\/react\/jsx-runtime\2/,
          (_, from, quote) => from + quote + runtime + quote,
        ),
      )
    }
    if (file.endsWith('.d.ts'))
      rewrite(path, text =>
        text.replaceAll(/(from |import\()(['"])(\.{1,2}\/[^'"]+)\.tsx?\2/g, '$1$2$3.js$2'),
      )
  }
}

function rewrite(path: string, change: (text: string) => string): void {
  const text = readFileSync(path, 'utf8')
  const changed = change(text)
  if (changed !== text) writeFileSync(path, changed)
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { to: { type: 'string' } } })
  await build(values.to === undefined ? PACKAGES : resolve(values.to))
}
