import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CallState } from '@toolwire/core'
import { afterEach, describe, expect, test } from 'vitest'
import { createBashTool } from '../src/builtin/bash.ts'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { isAlive, killAll } from '../src/shell/processes.ts'
import { running, unique, until } from './running.ts'
import { codeOf, createStage, type Stage, type StageOptions, textOf } from './stage.ts'

let stage: Stage | undefined
const open = (options: Partial<StageOptions> = {}): Stage => {
  stage = createStage({ tools: createBuiltinTools(), mode: 'bypassPermissions', ...options })
  return stage
}
afterEach(() => {
  stage?.close()
  stage = undefined
})

const run = (s: Stage, command: string, more: object = {}): Promise<CallState> =>
  s.one('Bash', { command, ...more })
/** Runs a command that never ends, with a longer limit each time, until its first output came before the limit. */
async function runBeyondLimit(s: Stage, command: string, output: string) {
  for (let limit = 200; ; limit *= 4) {
    const call = await run(s, command, { timeout: limit })
    if (textOf(call).includes(output)) return { call, limit }
  }
}

const dataOf = (s: Stage): Record<string, unknown> =>
  (s.events('tool.completed').at(-1)?.structured ?? {}) as Record<string, unknown>

describe('results', () => {
  test('stdout and stderr reach the model together and the data apart', async () => {
    const s = open()
    const call = await run(s, 'echo out; echo err >&2')
    expect(textOf(call).split('\n').sort()).toEqual(['err', 'out'])
    expect(dataOf(s)).toMatchObject({ stdout: 'out\n', stderr: 'err\n', exit_code: 0 })
  })

  test('a non-zero exit is an error that begins with its code', async () => {
    const call = await run(open(), 'echo no; exit 3')
    expect(call.outcome?.is_error).toBe(true)
    expect(textOf(call)).toBe('Exit code 3\nno')
    expect(call.outcome?.failure).toMatchObject({
      code: 'exit_3',
      layer: 'execution',
      message: 'Exit code 3',
    })
  })

  test('exit codes that are answers are no errors', async () => {
    const s = open()
    const call = await run(s, 'grep zzz /dev/null')
    expect(call.outcome?.is_error).toBe(false)
    expect(textOf(call)).toBe('(No matches found)')
    expect(dataOf(s)['returnCodeInterpretation']).toBe('No matches found')
  })

  test('no output is said', async () => {
    expect(textOf(await run(open(), 'true'))).toBe('(no output)')
  })

  test('a line that bash cannot parse is refused with what bash says, and nothing of it runs', async () => {
    const s = open()
    const call = await run(s, 'touch made; if then')
    expect(textOf(call)).toMatch(/^Exit code 2\n.*syntax error/s)
    expect(existsSync(s.path('made'))).toBe(false)
    expect(s.events('tool.started')).toHaveLength(0)
  })

  test('colours and other control sequences are taken out for the model', async () => {
    expect(textOf(await run(open(), String.raw`printf '\033[31mred\033[0m\r\nnext\a'`))).toBe('red\nnext')
  })

  test('binary output is counted, not shown', async () => {
    const call = await run(open(), String.raw`printf 'a\0b'`)
    expect(textOf(call)).toContain('binary output, 3 bytes')
  })

  test('standard input is empty and there is no terminal', async () => {
    expect(textOf(await run(open(), 'cat; tty; [ -t 1 ] || echo none'))).toBe('not a tty\nnone')
  })
})

describe('surroundings', () => {
  test('the working directory is kept between calls and across a restart; variables are not', async () => {
    const s = open()
    mkdirSync(s.path('sub'))
    await run(s, 'cd sub && X=1')
    s.restart()
    expect(textOf(await run(s, 'pwd; echo "[$X]"'))).toBe(`${s.path('sub')}\n[]`)
  })

  test('the directory is kept when the command exits by itself, too', async () => {
    const s = open()
    mkdirSync(s.path('sub'))
    await run(s, 'cd sub; exit 0')
    expect(textOf(await run(s, 'pwd'))).toBe(s.path('sub'))
  })

  test('leaving the allowed directories is undone and said', async () => {
    const s = open()
    expect(textOf(await run(s, 'cd /; pwd'))).toBe(`/\nShell cwd was reset to ${s.workspace}`)
    expect(textOf(await run(s, 'pwd'))).toBe(s.workspace)
  })

  test('secrets of the server are not passed on unless allowed', async () => {
    process.env['TEST_API_KEY_X'] = 'secret'
    process.env['TEST_PLAIN_X'] = 'plain'
    try {
      expect(textOf(await run(open(), 'echo "[$TEST_API_KEY_X][$TEST_PLAIN_X][$PAGER]"'))).toBe(
        '[][plain][cat]',
      )
      stage?.close()
      const allowed = open({ tools: [createBashTool({ env_allow: ['TEST_API_KEY_X'] })] })
      expect(textOf(await run(allowed, 'echo "[$TEST_API_KEY_X]"'))).toBe('[secret]')
    } finally {
      delete process.env['TEST_API_KEY_X']
      delete process.env['TEST_PLAIN_X']
    }
  })

  test('files that were read and changed by the command are named, once', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), 'one\n')
    await s.one('Read', { file_path: s.path('a.txt') })
    expect(textOf(await run(s, 'echo two >> a.txt'))).toContain(`have changed since: ${s.path('a.txt')}`)
    expect(textOf(await run(s, 'true'))).toBe('(no output)')
  })

  test('a file that was read and only touched by the command is not named', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), 'one\n')
    await s.one('Read', { file_path: s.path('a.txt') })
    expect(textOf(await run(s, 'touch -d 2001-01-01 a.txt'))).toBe('(no output)')
  })
})

describe('long output', () => {
  test('it is cut in the middle, kept whole in a file that Read may open, and streamed as progress', async () => {
    const s = open({ mode: 'default' })
    const text = textOf(await run(s, 'seq 1 60000'))
    expect(text.length).toBeLessThan(31_000)
    expect(text).toContain('\n1\n2\n')
    expect(text.endsWith('60000')).toBe(true)
    const path = String(dataOf(s)['persistedOutputPath'])
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(60_001)
    expect(text).toContain(path)
    expect(textOf(await s.one('Read', { file_path: path, offset: 59_999 }))).toContain('59999\t59999')
    expect(s.events('tool.progress').length).toBeGreaterThan(0)
  })

  test('any output is in its file while the command runs, and the file is gone when all of it was sent', async () => {
    const s = open()
    const go = s.path('go')
    await s.say([
      {
        name: 'Bash',
        id: 'little',
        input: { command: `echo little; while [ ! -e ${go} ]; do sleep 0.05; done` },
      },
    ])
    const done = s.settle()
    const file = join(s.dir, 'artifacts', 'ses_1', 'little.log')
    await until(() => existsSync(file) && readFileSync(file, 'utf8') === 'little\n')
    writeFileSync(go, '')
    await done
    expect(textOf(s.state().calls[0])).toBe('little')
    expect(existsSync(file)).toBe(false)
    expect(dataOf(s)['persistedOutputPath']).toBeUndefined()
  })

  test('after a crash the location of the command’s output is reported', async () => {
    const s = open()
    await s.say([{ name: 'Bash', id: 'cut', input: { command: 'echo half; touch made' } }])
    s.append({ type: 'tool.started', ts: new Date().toISOString(), call_id: 'cut', attempt: 1 })
    const file = join(s.dir, 'artifacts', 'ses_1', 'cut.log')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, 'half\n')
    s.restart()
    await s.settle()
    expect(textOf(s.state().calls[0])).toMatch(
      /may or may not have taken effect.*What it had said is in .*cut\.log/s,
    )
    expect(existsSync(s.path('made'))).toBe(false)
  })
})

describe('stopping', () => {
  test('a cancel ends the whole tree, children that changed their session included', async () => {
    const s = open()
    const mark = unique()
    await s.say([{ name: 'Bash', input: { command: `echo begun; setsid sleep ${mark} & sleep ${mark}` } }])
    const done = s.settle()
    await until(() => running(`sleep\0${mark}`).length === 2)
    s.cancel()
    await done
    expect(running(`sleep\0${mark}`)).toEqual([])
    expect(codeOf(s.state().calls[0])).toBe('interrupted')
    expect(textOf(s.state().calls[0])).toContain('begun')
  })

  test('a command that ignores the first signal is killed by the second', async () => {
    const s = open()
    const mark = unique()
    await s.say([
      {
        name: 'Bash',
        input: {
          command: `setsid bash -c "trap '' TERM; while true; do sleep 1.${mark}; done" & trap '' TERM; wait`,
        },
      },
    ])
    const done = s.settle()
    await until(() => running(`sleep\0${'1.'}${mark}`).length > 0)
    s.cancel()
    await done
    expect(running(mark)).toEqual([])
  })

  test('without a place for background tasks the time limit stops the command', async () => {
    const s = open({ tools: [createBashTool()] })
    const mark = unique()
    const { call, limit } = await runBeyondLimit(s, `echo before; sleep ${mark}`, 'before')
    expect(codeOf(call)).toBe('timeout')
    expect(textOf(call)).toMatch(new RegExp(`stopped after ${limit} ms.*before`, 's'))
    expect(running(`sleep\0${mark}`)).toEqual([])
  })

  test('a child that holds the pipe does not hold the call', async () => {
    const s = open()
    const mark = unique()
    const call = await run(s, `sleep ${mark} & echo done`)
    expect(textOf(call)).toMatch(/^done\nStill running: pid \d+/)
    const list = textOf(await s.one('TaskList', {}))
    expect(list).toContain('running')
    await s.one('TaskStop', { task_id: /task_\w+/.exec(list)?.[0] ?? '' })
    expect(running(`sleep\0${mark}`)).toEqual([])
  })

  test('after a crash whatever the command left running is ended, and its outcome is unknown', async () => {
    const s = open()
    const mark = unique()
    await s.say([{ name: 'Bash', input: { command: `touch made; sleep ${mark}` } }])
    const abandoned = s.settle().catch(() => 'fenced')
    await until(() => running(`sleep\0${mark}`).length === 1)
    // The old process is gone as far as the log is concerned: nothing it does later is recorded.
    const records = [...s.records]
    s.restart()
    await s.settle()
    expect(running(`sleep\0${mark}`)).toEqual([])
    expect(records.some(rec => rec.ev.type === 'note' && rec.ev.name.startsWith('process:'))).toBe(true)
    expect(s.events('tool.failed').some(event => event.error.code === 'unknown_outcome')).toBe(true)
    await abandoned
  })
})

test('a read-only command that a crash cut off runs again, and the first one is ended before', async () => {
  const s = open()
  const mark = unique()
  await s.say([{ name: 'Bash', input: { command: `sleep ${mark}` } }])
  const abandoned = s.settle().catch(() => 'fenced')
  await until(() => running(`sleep\0${mark}`).length === 1)
  const [first] = running(`sleep\0${mark}`)
  s.restart()
  const again = s.settle()
  await until(() => running(`sleep\0${mark}`).some(pid => pid !== first))
  expect(running(`sleep\0${mark}`)).not.toContain(first)
  s.cancel()
  await Promise.all([abandoned, again])
  expect(running(`sleep\0${mark}`)).toEqual([])
})

describe('background', () => {
  test('a command outlives its call, is listed, read and stopped, also after a restart', async () => {
    const s = open()
    const mark = unique()
    const call = await run(s, `echo hello; sleep ${mark}`, { run_in_background: true })
    const task_id = /task_\w+/.exec(textOf(call))?.[0] ?? ''
    await until(() => running(`sleep\0${mark}`).length === 1)
    const log = join(s.dir, 'artifacts', 'ses_1', 'call_msg_1_0.log')
    await until(() => readFileSync(log, 'utf8') === 'hello\n')
    s.restart()
    expect(textOf(await s.one('TaskList', {}))).toContain(`${task_id} running`)
    expect(textOf(await s.one('TaskOutput', { task_id }))).toMatch(/running.*hello/s)
    await s.one('TaskStop', { task_id })
    expect(running(`sleep\0${mark}`)).toEqual([])
    expect(textOf(await s.one('TaskOutput', { task_id }))).toContain('stopped')
  })

  test('its exit code is known when it has ended', async () => {
    const s = open()
    const call = await run(s, 'echo bye; exit 4', { run_in_background: true })
    const task_id = /task_\w+/.exec(textOf(call))?.[0] ?? ''
    let text = ''
    await until(async () => {
      text = textOf(await s.one('TaskOutput', { task_id }))
      return text.includes('ended')
    })
    expect(text).toMatch(/ended with exit code 4.*bye/s)
  })

  test('its end can be waited for, and the wait ends with the time that it was given', async () => {
    const s = open()
    const mark = unique()
    const go = join(s.dir, 'go')
    const first = await run(s, `until [ -e ${go} ]; do sleep 0.05; done; echo bye`, {
      run_in_background: true,
    })
    const task_id = /task_\w+/.exec(textOf(first))?.[0] ?? ''
    expect(textOf(await s.one('TaskOutput', { task_id, wait_ms: 20 }))).toContain('running')
    writeFileSync(go, '')
    expect(textOf(await s.one('TaskOutput', { task_id, wait_ms: 600_000 }))).toMatch(
      /ended with exit code 0.*bye/s,
    )
    const other =
      /task_\w+/.exec(textOf(await run(s, `sleep ${mark}`, { run_in_background: true })))?.[0] ?? ''
    await s.one('TaskStop', { task_id: other })
    expect(textOf(await s.one('TaskOutput', { task_id: other, wait_ms: 600_000 }))).toContain('stopped')
  })

  test('at the time limit a command continues in the background', async () => {
    const s = open()
    const mark = unique()
    const { call, limit } = await runBeyondLimit(s, `echo early; sleep ${mark}`, 'early')
    expect(textOf(call)).toMatch(/continues in the background as task_.*early/s)
    expect(dataOf(s)['timedOutAfterMs']).toBeGreaterThanOrEqual(limit)
    for (const { structured } of s.events('tool.completed'))
      await s.one('TaskStop', {
        task_id: String((structured as Record<string, unknown>)['backgroundTaskId']),
      })
    expect(running(`sleep\0${mark}`)).toEqual([])
  })

  test('an unknown task is named with the known ones', async () => {
    expect(codeOf(await open().one('TaskOutput', { task_id: 'task_x' }))).toBe('not_found')
  })
})

test('a pid that was used again by another process does not count as alive', async () => {
  expect(await isAlive({ pid: process.pid, start: '1' })).toBe(false)
  await killAll({ pid: 2 ** 22 - 1, start: '1' }, 'no-such-token', 10)
})
