/**
 * The product as installed: the built command in a separate folder, shaped like the package. It has been started
 * once, so that its compiled code is cached, as from the second start of an installed one on.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildCommand } from '../scripts/build-command.ts'
import { ROOT } from '../scripts/root.ts'

interface Installed {
  /** Node arguments to run it. */
  readonly command: readonly string[]
  /** Removes the folder; its servers must have stopped. */
  readonly remove: () => void
}

/** Throws when the web app is not built. The caller removes it. */
export async function install(): Promise<Installed> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-installed-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const home = join(folder, 'node_modules/toolwire')
    mkdirSync(home, { recursive: true })
    for (const name of ['package.json', 'sample-workspace'])
      cpSync(join(ROOT, 'packages/cli', name), join(home, name), { recursive: true })
    await buildCommand(join(home, 'dist'))
    const main = join(home, 'dist/main.js')
    execFileSync(process.execPath, [main, '--version'], { stdio: 'ignore' })
    return { command: [main], remove }
  } catch (error) {
    remove()
    throw error
  }
}
