/** However a command hides its children, none of them outlives a cancel, a stop or a crash. Shown by /proc. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import {
  identify,
  isAlive,
  killAll,
  markLine,
  markOf,
  members,
  type ProcessId,
} from '../src/shell/processes.ts'
import { findSandbox } from '../src/shell/sandbox.ts'
import { running, unique, until } from './running.ts'
import { createStage, type Stage, textOf } from './stage.ts'

let stage: Stage | undefined
const open = (options: Parameters<typeof createBuiltinTools>[0] = {}): Stage => {
  stage = createStage({ tools: createBuiltinTools(options), mode: 'bypassPermissions' })
  return stage
}
afterEach(() => {
  stage?.close()
  stage = undefined
})

const QUIET = '</dev/null >/dev/null 2>&1 3>&-'
/** Each starts `sleep <mark>` where it is not easily found. */
const HIDING: readonly (readonly [string, (mark: string) => string])[] = [
  ['a plain child', mark => `sleep ${mark} &`],
  ['nohup', mark => `nohup sleep ${mark} ${QUIET} &`],
  ['disown', mark => `sleep ${mark} ${QUIET} & disown -a`],
  ['setsid', mark => `setsid sleep ${mark} ${QUIET} &`],
  ['setsid without an environment', mark => `env -i setsid sleep ${mark} &`],
  ['the same without pipes', mark => `env -i setsid sleep ${mark} ${QUIET} &`],
  ['a second fork', mark => `(env -i setsid bash -c 'sleep ${mark} & exit' ${QUIET} &)`],
  [
    'a daemon in three steps',
    mark =>
      `env -i setsid bash -c '(setsid bash -c "exec 3>&-; env -i setsid sleep ${mark} ${QUIET} & exit" &) ; exit' ${QUIET}`,
  ],
  [
    'a daemon of another program',
    mark =>
      `env -i python3 -c 'import os,sys
if os.fork(): sys.exit(0)
os.setsid()
if os.fork(): os._exit(0)
os.chdir("/")
os.closerange(0, 64)
os.execve("/bin/sleep", ["sleep", "${mark}"], {})'`,
  ],
  ['a process that ignores signals', mark => `env -i setsid bash -c 'trap "" TERM HUP INT; sleep ${mark}' &`],
]

describe.each(HIDING)('%s', (_, hide) => {
  test('is gone after a cancel', async () => {
    const s = open()
    const mark = unique()
    await s.say([{ name: 'Bash', input: { command: `${hide(mark)}\nsleep 300` } }])
    const done = s.settle()
    await until(() => running(`sleep\0${mark}`).length > 0)
    s.cancel()
    await done
    expect(running(mark)).toEqual([])
  })

  test('is known as a task when its command has ended, and gone when that is stopped', async () => {
    const s = open()
    const mark = unique()
    expect(textOf(await s.one('Bash', { command: `${hide(mark)}\necho done` }))).toContain('Still running')
    expect(running(mark).length).toBeGreaterThan(0)
    const task_id = /task_\w+/.exec(textOf(await s.one('TaskList', {})))?.[0] ?? ''
    await s.one('TaskStop', { task_id })
    expect(running(mark)).toEqual([])
  })

  test('of a task in the background lives on until that is stopped', async () => {
    const s = open()
    const mark = unique()
    const command = `${hide(mark)}\nsleep 300`
    const said = textOf(await s.one('Bash', { command, run_in_background: true }))
    await until(() => running(`sleep\0${mark}`).length > 0)
    await s.one('TaskStop', { task_id: /task_\w+/.exec(said)?.[0] ?? '' })
    expect(running(mark)).toEqual([])
  })
})

const { available } = await findSandbox()

describe.runIf(available).each(HIDING)('%s in the sandbox', (_, hide) => {
  test('is gone after a cancel, and after the end of a command where the settings say so', async () => {
    const mark = unique()
    const s = open({ bash: { sandbox: {}, reap: true } })
    expect(textOf(await s.one('Bash', { command: `${hide(mark)}\necho done` }))).toContain('done')
    expect(running(mark)).toEqual([])
    await s.say([{ name: 'Bash', input: { command: `${hide(mark)}\nsleep 300` } }])
    const done = s.settle()
    await until(() => running(`sleep\0${mark}`).length > 0)
    s.cancel()
    await done
    expect(running(mark)).toEqual([])
  })
})

test('a command that starts processes faster than they are ended is ended', async () => {
  const mark = unique()
  const token = randomUUID()
  // Each child starts the next one and ends, in a new session and without an environment.
  const next = `echo ${mark} >/dev/null; env -i PATH="$PATH" CODE="$CODE" setsid bash -c "$CODE" ${mark} & exit`
  const child = spawn('bash', ['-c', `${markLine(markOf(token))}\n${next}`, mark], {
    env: { PATH: process.env['PATH'] ?? '', CODE: `trap "" TERM; ${next}` },
    stdio: 'ignore',
    detached: true,
  })
  await new Promise(resolve => child.once('exit', resolve))
  await until(async () => (await members(undefined, token)).length > 0)
  await killAll(undefined, token, 0)
  expect(await members(undefined, token)).toEqual([])
  expect(running(mark)).toEqual([])
})

test('a process of another command is left alone', async () => {
  const s = open()
  const [mine, other] = [unique(), unique()]
  await s.one('Bash', { command: `sleep ${other}`, run_in_background: true })
  await s.say([{ name: 'Bash', input: { command: `env -i setsid sleep ${mine} & sleep 300` } }])
  const done = s.settle()
  await until(() => running(`sleep\0${mine}`).length > 0)
  s.cancel()
  await done
  expect(running(`sleep\0${mine}`)).toEqual([])
  const left = running(`sleep\0${other}`)
  for (const pid of left) process.kill(pid, 'SIGKILL')
  expect(left).toHaveLength(1)
})

describe('a group whose number went to another process', () => {
  const PATH = process.env['PATH'] ?? ''
  const startGroup = async (): Promise<{ child: ChildProcess; leader: ProcessId }> => {
    const child = spawn('sleep', ['300'], { env: { PATH }, stdio: 'ignore', detached: true })
    await new Promise(resolve => child.once('spawn', resolve))
    return { child, leader: await identify(child.pid ?? 0) }
  }

  test.runIf(process.platform === 'linux')('is left alone', async () => {
    const { child, leader } = await startGroup()
    const token = randomUUID()
    // The command began at another time, so the process that has its pid now is a stranger.
    const before = { pid: leader.pid, start: String(Number(leader.start) - 1) }
    expect(await members(leader, token)).toEqual([leader.pid])
    expect(await members(before, token)).toEqual([])
    expect(await members({ pid: leader.pid, start: undefined }, token)).toEqual([])
    await killAll(before, token, 0)
    expect(await isAlive(leader)).toBe(true)
    const ended = new Promise(resolve => child.once('exit', resolve))
    await killAll(leader, token, 0)
    await ended
  })
})
