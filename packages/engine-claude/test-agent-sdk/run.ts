/**
 * Runs the suite of the engine claude-agent-sdk: finds the package or installs it into a cache outside the tree,
 * then starts the tests where only the loopback interface exists, so that a third-party program cannot reach any
 * host. TOOLWIRE_AGENT_SDK names a folder with the package in its node_modules. With --present nothing is
 * installed, and a missing package is no failure. Other arguments go to vitest.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { SDK_PACKAGE, SDK_VERSION } from '../src/sdk.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const CONFIG = join(ROOT, 'vitest.agent-sdk.config.ts')
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
/** A separate namespace; as an ordinary user, with a user namespace around it. */
const WAYS: readonly (readonly string[])[] = [
  ['unshare', '--net'],
  ['unshare', '--map-root-user', '--net'],
]
const ATTEMPTS = 3
const LOOPBACK_ONLY = 'ip link set lo up && exec "$@"'

function main(given: readonly string[]): number {
  const mustBePresent = given.includes('--present')
  const args = given.filter(arg => arg !== '--present')
  const folder = process.env['TOOLWIRE_AGENT_SDK'] ?? [ROOT, cacheFolder()].find(isInstalled) ?? cacheFolder()
  if (!isInstalled(folder)) {
    if (mustBePresent) {
      console.log(`test:agent-sdk: ${SDK_PACKAGE} is not installed; nothing is tested.`)
      return 0
    }
    if (!install(folder)) return 1
  }
  const way = WAYS.find(([command = '', ...rest]) =>
    works(command, [...rest, 'sh', '-c', LOOPBACK_ONLY, 'sh', 'true']),
  )
  if (!way) {
    console.error(
      'test:agent-sdk needs a network namespace: util-linux (unshare) and iproute2 (ip), on Linux, and leave to make one.',
    )
    return mustBePresent ? 0 : 1
  }
  const [command = '', ...rest] = way
  const tests = [process.execPath, VITEST, 'run', '--config', CONFIG, ...args]
  const ran = spawnSync(command, [...rest, 'sh', '-c', LOOPBACK_ONLY, 'sh', ...tests], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, TOOLWIRE_AGENT_SDK: folder },
  })
  return ran.status ?? 1
}

function cacheFolder(): string {
  const base = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  return join(base, 'toolwire', `agent-sdk-${SDK_VERSION}`)
}

const isInstalled = (folder: string): boolean =>
  existsSync(join(folder, 'node_modules', SDK_PACKAGE, 'sdk.mjs'))

/** Into a folder beside it first, so that an interrupted install is never used. */
function install(folder: string): boolean {
  const parent = dirname(folder)
  mkdirSync(parent, { recursive: true })
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    console.log(`installing ${SDK_PACKAGE}@${SDK_VERSION} into ${folder} (about 414 MB), attempt ${attempt}`)
    const draft = mkdtempSync(join(parent, 'installing-'))
    const wanted = `${SDK_PACKAGE}@${SDK_VERSION}`
    const done = works('npm', ['install', '--prefix', draft, '--no-audit', '--no-fund', wanted])
    if (done && isInstalled(draft)) {
      rmSync(folder, { recursive: true, force: true })
      renameSync(draft, folder)
      return true
    }
    rmSync(draft, { recursive: true, force: true })
  }
  console.error(`${SDK_PACKAGE} could not be installed; see what npm said above.`)
  return false
}

function works(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
}

process.exit(main(process.argv.slice(2)))
