/**
 * Builds every package into its `dist`, as it is published: JavaScript, declarations, the licence, and
 * with the command the web app. `node scripts/build.ts --to FOLDER` builds into FOLDER/<package>/dist instead.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bundledLicences } from './bundled-licences.ts'
import { ROOT } from './root.ts'

/** Types are checked by `npm run check`, not here. Throws when the web app has not been built. */
export function build(to: string): void {
  const web = join(ROOT, 'apps/web/dist')
  if (!existsSync(join(web, 'index.html'))) throw new Error('the web app is not built: npm run build:web')
  const work = mkdtempSync(join(tmpdir(), 'toolwire-build-'))
  try {
    const compiler = join(ROOT, 'node_modules/@typescript/native/bin/tsc')
    const project = join(ROOT, 'tsconfig.build.json')
    execFileSync(process.execPath, [compiler, '-p', project, '--outDir', work], { stdio: 'inherit' })
    for (const name of readdirSync(join(ROOT, 'packages'))) {
      const dist = join(to, name, 'dist')
      rmSync(dist, { recursive: true, force: true })
      cpSync(join(work, name, 'src'), dist, { recursive: true })
      copyData(join(ROOT, 'packages', name, 'src'), dist)
      cpSync(join(ROOT, 'LICENSE'), join(dist, 'LICENSE'))
      finish(dist)
    }
    const cli = join(to, 'cli/dist')
    cpSync(web, join(cli, 'web'), { recursive: true })
    writeFileSync(join(cli, 'web-licences.txt'), bundledLicences())
    chmodSync(join(cli, 'main.js'), 0o755)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Data that modules import; the compiler leaves some of it behind. */
function copyData(from: string, to: string): void {
  for (const file of readdirSync(from, { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.json')) cpSync(join(from, file), join(to, file))
}

/** Declarations name built files; the command starts with any Node and takes built packages. */
function finish(dist: string): void {
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const path = join(dist, file)
    if (file.endsWith('.d.ts'))
      rewrite(path, text =>
        text.replaceAll(/(from |import\()(['"])(\.{1,2}\/[^'"]+)\.tsx?\2/g, '$1$2$3.js$2'),
      )
    else if (file.endsWith('.js')) rewrite(path, text => text.replace(/^#!.*\n/, '#!/usr/bin/env node\n'))
  }
}

function rewrite(path: string, change: (text: string) => string): void {
  const text = readFileSync(path, 'utf8')
  const changed = change(text)
  if (changed !== text) writeFileSync(path, changed)
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { to: { type: 'string' } } })
  build(values.to === undefined ? join(ROOT, 'packages') : resolve(values.to))
}
