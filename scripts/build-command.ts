/**
 * `npm run build:command`: the command with its web app in `packages/cli/dist`, and the list of its inputs, by
 * which `npm start` checks if it is up to date.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { bundleCommand } from './bundle-command.ts'
import { bundledLicences } from './bundled-licences.ts'
import { stampsOf } from './file-stamp.ts'
import { ROOT } from './root.ts'

const WEB = join(ROOT, 'apps/web/dist')
const CLI = join(ROOT, 'packages/cli')
const INPUTS = join(CLI, '.cache/inputs.json')

/** Empties the folder and fills it. Returns the files that it was made from. Throws when the web app is not built. */
export async function buildCommand(dist: string): Promise<readonly string[]> {
  if (!existsSync(join(WEB, 'index.html'))) throw new Error('the web app is not built: npm run build:web')
  rmSync(dist, { recursive: true, force: true })
  mkdirSync(dist, { recursive: true })
  const read = await bundleCommand(dist)
  const main = join(dist, 'main.js')
  writeFileSync(main, readFileSync(main, 'utf8').replace(/^#!.*\n/, '#!/usr/bin/env node\n'))
  chmodSync(main, 0o755)
  cpSync(WEB, join(dist, 'web'), { recursive: true })
  cpSync(join(ROOT, 'LICENSE'), join(dist, 'LICENSE'))
  writeFileSync(join(dist, 'licences.txt'), bundledLicences(['packages/cli'], 'The command'))
  writeFileSync(join(dist, 'web-licences.txt'), bundledLicences(['apps/web'], 'The web app'))
  return [...read, join(WEB, 'index.html'), ...MANIFESTS]
}

/** Files that decide how names are resolved. */
const MANIFESTS = [
  join(ROOT, 'node_modules/.package-lock.json'),
  ...readdirSync(join(ROOT, 'packages')).map(name => join(ROOT, 'packages', name, 'package.json')),
].filter(file => existsSync(file))

/**
 * Builds into the checkout. A file that changed meanwhile leaves no list, so the sources are started as before.
 */
export async function buildCommandHere(): Promise<void> {
  const begun = Date.now()
  rmSync(INPUTS, { force: true })
  // Compiled code of files that are about to go.
  rmSync(join(CLI, 'node_modules/.cache/compiled'), { recursive: true, force: true })
  const dist = join(CLI, 'dist')
  const inputs = stampsOf(await buildCommand(dist), ROOT)
  if (inputs.some(stamp => stamp.mtimeMs >= begun)) {
    process.stderr.write('A file changed while it was read: npm start runs the sources.\n')
    return
  }
  mkdirSync(dirname(INPUTS), { recursive: true })
  // The outputs are in the list too: if another program fills the folder, it is no longer this build.
  writeFileSync(INPUTS, JSON.stringify([...stampsOf([join(dist, 'main.js')], ROOT), ...inputs]))
}

if (import.meta.main) await buildCommandHere()
