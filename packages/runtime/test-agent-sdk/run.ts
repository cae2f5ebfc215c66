/**
 * Runs the suite of the engine claude-agent-sdk: finds the package or installs it into a cache
 * outside the tree, then starts the tests where only the loopback interface exists, so that a
 * program which is not ours cannot reach anybody.
 *
 * TOOLWIRE_AGENT_SDK names a folder with the package in its node_modules. Arguments go to vitest.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { SDK_PACKAGE, SDK_VERSION } from '../src/engines/claude-agent-sdk/sdk.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const CONFIG = join(ROOT, 'vitest.agent-sdk.config.ts')
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
/** A namespace of its own; as an ordinary user, with a user namespace around it. */
const WAYS: readonly (readonly string[])[] = [
  ['unshare', '--net'],
  ['unshare', '--map-root-user', '--net'],
]
const LOOPBACK_ONLY = 'ip link set lo up && exec "$@"'

function main(args: readonly string[]): number {
  const folder = process.env['TOOLWIRE_AGENT_SDK'] ?? cacheFolder()
  if (!isInstalled(folder) && !install(folder)) return 1
  const way = WAYS.find(([command = '', ...rest]) =>
    works(command, [...rest, 'sh', '-c', LOOPBACK_ONLY, 'sh', 'true']),
  )
  if (!way) {
    console.error(
      'test:agent-sdk needs a network namespace: util-linux (unshare) and iproute2 (ip), on Linux.',
    )
    return 1
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

function install(folder: string): boolean {
  console.log(`installing ${SDK_PACKAGE}@${SDK_VERSION} into ${folder} (about 414 MB)`)
  mkdirSync(folder, { recursive: true })
  return works('npm', [
    'install',
    '--prefix',
    folder,
    '--no-audit',
    '--no-fund',
    `${SDK_PACKAGE}@${SDK_VERSION}`,
  ])
}

function works(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
}

process.exit(main(process.argv.slice(2)))
