/**
 * Runs the suite of command-line agents, of the vendors' Python clients, of front ends, and of this client in Bun:
 * installs what is missing into a cache outside the tree, then starts the tests where only the loopback interface
 * exists, so that a third-party program cannot reach any host. TOOLWIRE_CLIENTS names the cache. `--present` runs
 * nothing unless everything is installed already. Other arguments go to vitest.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AGENTS } from './agents.ts'
import { AI_SDKS } from './ai-sdks.ts'
import { bridgePackages } from './bridge-packages.ts'
import { bun } from './bun.ts'
import { codex } from './codex.ts'
import { FRONT_ENDS } from './front-ends.ts'
import { folderOf, type Installable, programOf } from './installed.ts'
import { clientCache, hasPythonSdks, PYTHON_PACKAGES, pythonFolder } from './python-packages.ts'
import { responsesClients } from './responses-clients.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const CONFIG = join(ROOT, 'vitest.clients.config.ts')
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
/** A separate namespace; as an ordinary user, with a user namespace around it. */
const WAYS: readonly (readonly string[])[] = [
  ['unshare', '--net'],
  ['unshare', '--map-root-user', '--net'],
]
const LOOPBACK_ONLY = 'ip link set lo up && exec "$@"'

function main(args: readonly string[]): number {
  const cache = clientCache()
  const wanted = [...AGENTS, ...AI_SDKS, ...FRONT_ENDS, bridgePackages, bun, codex, responsesClients]
  const missing = wanted.filter(one => !isInstalled(cache, one))
  if (args.includes('--present') && missing.length > 0) {
    console.log(`not run: ${missing.map(folderOf).join(', ')} not in ${cache}`)
    return 0
  }
  for (const one of missing) if (!install(cache, one)) return 1
  if (!hasPythonSdks(cache) && !installPythonSdks(cache)) console.log('pip cannot bring the Python clients')
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

const isInstalled = (cache: string, one: Installable): boolean => existsSync(join(cache, programOf(one)))

function install(cache: string, one: Installable): boolean {
  const folder = join(cache, folderOf(one))
  const what = [`${one.package}@${one.version}`, ...(one.others ?? [])]
  console.log(`installing ${what.join(' ')} into ${folder}`)
  mkdirSync(folder, { recursive: true })
  return works('npm', [
    'install',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    ...what,
  ])
}

/** Into a folder beside it first: a folder of that name is whole. */
function installPythonSdks(cache: string): boolean {
  const folder = pythonFolder(cache)
  const part = `${folder}.part`
  console.log(`installing ${PYTHON_PACKAGES.join(' ')} into ${folder}`)
  rmSync(part, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })
  // An index that cannot be reached must not hold up the other clients.
  const hurry = ['--disable-pip-version-check', '--timeout', '15', '--retries', '1']
  const pip = ['-m', 'pip', 'install', '--quiet', ...hurry, '--target', part]
  if (!works('python3', [...pip, ...PYTHON_PACKAGES])) return false
  renameSync(part, folder)
  return true
}

function works(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
}

process.exit(main(process.argv.slice(2)))
