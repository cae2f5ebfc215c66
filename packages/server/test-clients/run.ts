/**
 * Runs the suite of command-line agents, and the project's own client in Bun: installs what is missing
 * into a cache outside the tree, then starts the tests where only the loopback interface exists, so
 * that a program which is not ours cannot reach anybody.
 *
 * TOOLWIRE_CLIENTS names the cache. `--present` runs nothing unless everything is installed
 * already. Other arguments go to vitest.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { AGENTS } from './agents.ts'
import { bun } from './bun.ts'
import { folderOf, type Installable, programOf } from './installed.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const CONFIG = join(ROOT, 'vitest.clients.config.ts')
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
/** A namespace of its own; as an ordinary user, with a user namespace around it. */
const WAYS: readonly (readonly string[])[] = [
  ['unshare', '--net'],
  ['unshare', '--map-root-user', '--net'],
]
const LOOPBACK_ONLY = 'ip link set lo up && exec "$@"'

function main(args: readonly string[]): number {
  const cache = process.env['TOOLWIRE_CLIENTS'] ?? cacheFolder()
  const missing = [...AGENTS, bun].filter(one => !isInstalled(cache, one))
  if (args.includes('--present') && missing.length > 0) {
    console.log(`not run: ${missing.map(folderOf).join(', ')} not in ${cache}`)
    return 0
  }
  for (const one of missing) if (!install(cache, one)) return 1
  const way = WAYS.find(([command = '', ...rest]) =>
    works(command, [...rest, 'sh', '-c', LOOPBACK_ONLY, 'sh', 'true']),
  )
  if (!way) {
    console.error('test:clients needs a network namespace: util-linux (unshare) and iproute2 (ip), on Linux.')
    return args.includes('--present') ? 0 : 1
  }
  const [command = '', ...rest] = way
  const tests = [
    process.execPath,
    VITEST,
    'run',
    '--config',
    CONFIG,
    ...args.filter(arg => arg !== '--present'),
  ]
  const ran = spawnSync(command, [...rest, 'sh', '-c', LOOPBACK_ONLY, 'sh', ...tests], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, TOOLWIRE_CLIENTS: cache },
  })
  return ran.status ?? 1
}

function cacheFolder(): string {
  const base = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  return join(base, 'toolwire', 'clients')
}

const isInstalled = (cache: string, one: Installable): boolean => existsSync(join(cache, programOf(one)))

function install(cache: string, one: Installable): boolean {
  const folder = join(cache, folderOf(one))
  const what = `${one.package}@${one.version}`
  console.log(`installing ${what} into ${folder}`)
  mkdirSync(folder, { recursive: true })
  return works('npm', [
    'install',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    what,
  ])
}

function works(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
}

process.exit(main(process.argv.slice(2)))
