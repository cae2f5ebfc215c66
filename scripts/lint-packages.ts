/** The packed packages as publint and arethetypeswrong see them: manifests, entries, and types in every resolution. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PackedPackage } from './stage-packages.ts'

/** Pinned by hand: the highest number on the registry is not always the current version. */
const TOOLS = ['publint@0.3.25', '@arethetypeswrong/cli@0.18.5']
/** A style sheet has no types. */
const STYLES = ['--exclude-entrypoints', './styles.css']
/** These have a command and no entry. */
const WITHOUT_TYPES = new Set(['create-toolwire'])

const run = promisify(execFile)

interface Trial {
  readonly work: string
  readonly env: NodeJS.ProcessEnv
  readonly packages: readonly PackedPackage[]
}

export async function lintPackages({ work, env, packages }: Trial): Promise<void> {
  const home = join(work, 'lint')
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{"private":true,"type":"module"}\n')
  const options = { cwd: home, env, maxBuffer: 64_000_000 }
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...TOOLS], options)
  for (const { name, tarball } of packages) {
    const problem = (error: { readonly stdout?: string }): never => {
      throw new Error(`${name}: ${error.stdout ?? String(error)}`)
    }
    await run('npx', ['--no-install', 'publint', 'run', tarball, '--strict'], options).catch(problem)
    if (WITHOUT_TYPES.has(name)) continue
    const types = ['--no-install', 'attw', tarball, '--profile', 'esm-only', '--format', 'ascii', ...STYLES]
    await run('npx', types, options).catch(problem)
  }
  console.log(`${packages.length} packages looked through by publint and attw`)
}
