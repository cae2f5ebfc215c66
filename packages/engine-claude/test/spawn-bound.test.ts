/** A program that is bound to its server: real processes and a real SIGKILL. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { spawnBound } from '../src/spawn-bound.ts'

const SERVER = fileURLToPath(new URL('./spawn-forever.ts', import.meta.url))

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolwire-bound-'))
})
afterEach(() => rm(folder, { recursive: true }))

const startServer = (script: string): ChildProcess =>
  spawn(process.execPath, ['--conditions=toolwire-source', SERVER, folder, script], { stdio: 'ignore' })

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(10)
}

/** Processes that work in the folder. */
async function processes(): Promise<readonly number[]> {
  const ids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const places = await Promise.all(ids.map(id => readlink(`/proc/${id}/cwd`).catch(() => '')))
  return ids.filter((_, i) => places[i] === folder).map(Number)
}

const gone = (): Promise<void> => until(async () => (await processes()).length === 0)
const bound = (command: string, args: readonly string[]) =>
  spawnBound({ command, args, cwd: folder, env: { PATH: process.env['PATH'] } })

test.each([
  ['waits', 'touch begun; sleep 100000'],
  [
    'ignores signals and the end of its pipes',
    'trap "" HUP INT TERM PIPE; touch begun; while :; do sleep 0.1; done',
  ],
  ['has started others', 'sleep 100000 & (trap "" HUP; sleep 100000) & touch begun; wait'],
] as const)('a program that %s is gone when its server was killed', async (_, script) => {
  const server = startServer(script)
  await until(() => existsSync(join(folder, 'begun')))
  expect((await processes()).length).toBeGreaterThan(1)
  server.kill('SIGKILL')
  await gone()
})

test('a server that is killed while the program starts leaves none', async () => {
  const server = startServer('sleep 100000')
  await until(async () => (await processes()).length > 0)
  server.kill('SIGKILL')
  await gone()
})

test('a program gets its arguments, input and exit code as they are, and no watcher outlives it', async () => {
  const program = bound('sh', [
    '-c',
    'cat; echo "$1|$2" >&2; [ -e /proc/self/fd/3 ] && echo open; exit 7',
    'x',
    'a b',
    '$(id)',
  ])
  const [out, err] = [text(program.stdout), text(program.stderr)]
  const exited = once(program, 'exit')
  program.stdin.end('said')
  expect(await exited).toEqual([7, null])
  expect(await err).toBe('a b|$(id)\n')
  // The watcher's pipe is not among its descriptors.
  expect(await out).toBe('said')
  await gone()
})

test('a program that does not exist ends with its name on standard error', async () => {
  const program = bound('no-such-program', [])
  const err = text(program.stderr)
  expect(await once(program, 'exit')).toEqual([127, null])
  expect(await err).toContain('no-such-program')
  await gone()
})
