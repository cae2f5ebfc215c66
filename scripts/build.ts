/**
 * Builds every package into its `dist`, as it is published: JavaScript, declarations and the licence; the command
 * as a bundle with the web app. `node scripts/build.ts --to FOLDER` builds into FOLDER/<package>/dist instead.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildCommand, buildCommandHere } from './build-command.ts'
import { ROOT } from './root.ts'

const PACKAGES = join(ROOT, 'packages')
/** The package that is bundled. */
const COMMAND = 'cli'
/** The declarations of its one entry for programs; they name no other file. */
const TYPES = 'src/testing.d.ts'

/** Types are checked by `npm run check`, not here. Throws when the web app has not been built. */
export async function build(to: string): Promise<void> {
  await (to === PACKAGES ? buildCommandHere() : buildCommand(join(to, COMMAND, 'dist')))
  const work = mkdtempSync(join(tmpdir(), 'toolwire-build-'))
  try {
    const compiler = join(ROOT, 'node_modules/@typescript/native/bin/tsc')
    const project = join(ROOT, 'tsconfig.build.json')
    execFileSync(process.execPath, [compiler, '-p', project, '--outDir', work], { stdio: 'inherit' })
    cpSync(join(work, COMMAND, TYPES), join(to, COMMAND, 'dist/testing.d.ts'))
    copyLibraryTypes(join(work, COMMAND, 'src'), join(to, COMMAND, 'dist/types'))
    for (const name of readdirSync(PACKAGES).filter(one => one !== COMMAND)) {
      const dist = join(to, name, 'dist')
      rmSync(dist, { recursive: true, force: true })
      cpSync(join(work, name, 'src'), dist, { recursive: true })
      copyData(join(PACKAGES, name, 'src'), dist)
      cpSync(join(ROOT, 'LICENSE'), join(dist, 'LICENSE'))
      finish(dist)
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Declarations of the library's entries, and of the files that they name. */
function copyLibraryTypes(from: string, to: string): void {
  const files = new Set(['index.d.ts', 'fastify.d.ts', 'next.d.ts'])
  for (const file of files) {
    const text = readFileSync(join(from, file), 'utf8')
    for (const [, name = ''] of text.matchAll(/(?:from |import\()['"](\.{1,2}\/[^'"]+)\.ts['"]/g))
      files.add(join(dirname(file), `${name}.d.ts`))
    mkdirSync(dirname(join(to, file)), { recursive: true })
    writeFileSync(join(to, file), text)
  }
  finish(to)
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
