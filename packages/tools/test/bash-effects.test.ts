import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Rec } from '@toolwire/core'
import { afterEach, describe, expect, test } from 'vitest'
import { createBashTool } from '../src/builtin/bash.ts'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { createBackgroundTasks } from '../src/shell/background-tasks.ts'
import { gitOperation } from '../src/shell/git-operation.ts'
import type { WatchedTask } from '../src/shell/task-watch.ts'
import { createUndo } from '../src/undo/undo.ts'
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

const run = async (s: Stage, command: string, more: object = {}): Promise<string> =>
  textOf(await s.one('Bash', { command, ...more }))
const dataOf = (s: Stage): Record<string, unknown> =>
  (s.events('tool.completed').at(-1)?.structured ?? {}) as Record<string, unknown>

describe('what a command is said to have done', () => {
  test.each([
    [
      'git commit -m x',
      '[main 1a2b3c4] x\n 1 file changed',
      { operation: 'commit', branch: 'main', commit: '1a2b3c4' },
    ],
    ['git add . && git -C sub commit -qm x', '', { operation: 'commit' }],
    [
      'git commit -m x',
      '[main (root-commit) 1a2b3c4] x',
      { operation: 'commit', branch: 'main', commit: '1a2b3c4' },
    ],
    [
      'git commit -m a && git push',
      'To https://example.com/a.git',
      { operation: 'push', url: 'https://example.com/a.git' },
    ],
    [
      'gh pr create --fill',
      'https://example.com/pull/7',
      { operation: 'pr_create', url: 'https://example.com/pull/7' },
    ],
    ['git tag v1', '', { operation: 'tag' }],
  ])('%s', (command, output, expected) => {
    expect(gitOperation(command, output)).toEqual(expected)
  })

  test.each([
    'git status',
    'git commit --dry-run',
    'git tag',
    'echo git commit',
    'git log --grep commit',
    'if then',
  ])('nothing of note: %s', command => {
    expect(gitOperation(command, '')).toBeUndefined()
  })

  test('a real commit is named with its branch and hash; one that failed is not', async () => {
    const s = open()
    execFileSync('git', ['init', '-q', '-b', 'main', s.workspace])
    const commit = 'git -c user.name=a -c user.email=a@b commit'
    await run(s, `${commit} -m nothing`)
    expect(dataOf(s)['gitOperation']).toBeUndefined()
    await run(s, `touch a; git add a; ${commit} -m first`)
    const head = execFileSync('git', ['-C', s.workspace, 'rev-parse', '--short', 'HEAD'], {
      encoding: 'utf8',
    })
    expect(dataOf(s)['gitOperation']).toEqual({ operation: 'commit', branch: 'main', commit: head.trim() })
  })

  test('silence is distinguished from output that failed to arrive', async () => {
    const s = open()
    await run(s, 'mkdir a && touch a/b; echo x > c')
    expect(dataOf(s)['noOutputExpected']).toBe(true)
    await run(s, 'printf ""')
    expect(dataOf(s)['noOutputExpected']).toBeUndefined()
    await run(s, 'ls nothing 2>/dev/null || true')
    expect(dataOf(s)['noOutputExpected']).toBeUndefined()
  })
})

describe('children that a command leaves behind', () => {
  test('are registered although they hold none of its pipes', async () => {
    const s = open()
    const mark = unique()
    expect(await run(s, `sleep ${mark} >/dev/null 2>&1 & echo done`)).toMatch(/^done\nStill running: pid \d+/)
    const list = textOf(await s.one('TaskList', {}))
    expect(list).toContain('running')
    await s.one('TaskStop', { task_id: /task_\w+/.exec(list)?.[0] ?? '' })
    expect(running(`sleep\0${mark}`)).toEqual([])
  })

  test('are ended where the settings say so', async () => {
    const s = open({ bash: { reap: true } })
    const mark = unique()
    expect(await run(s, `sleep ${mark} >/dev/null 2>&1 & echo done`)).toBe('done')
    expect(running(`sleep\0${mark}`)).toEqual([])
    expect(textOf(await s.one('TaskList', {}))).toContain('Nothing works in the background')
  })

  test('that end with it are not mistaken for left ones', async () => {
    expect(await run(open(), 'echo a > >(cat); sleep 0.01 & true')).toBe('a')
  })
})

describe('the end of a background command', () => {
  const watching = (s: { dir: string }, ended: WatchedTask[]) =>
    createBackgroundTasks({
      folder: join(s.dir, 'tasks'),
      onEnd: async one => {
        ended.push(one)
      },
    })

  test('is reported once, with its exit code', async () => {
    const ended: WatchedTask[] = []
    const scratch = createStage({ tools: [] })
    const tasks = watching(scratch, ended)
    const s = open({ tasks })
    await run(s, 'exit 4', { run_in_background: true })
    const task_id = String(dataOf(s)['backgroundTaskId'])
    await until(() => ended.length > 0)
    expect(ended).toMatchObject([{ session_id: 'ses_1', task: { task_id, ended: { code: 4 } } }])
    await until(() => !existsSync(join(scratch.dir, 'tasks', `${task_id}.json`)))
    tasks.close()
    scratch.close()
  })

  test('is reported by the next server when the first one is gone', async () => {
    const ended: WatchedTask[] = []
    const scratch = createStage({ tools: [] })
    const first = watching(scratch, ended)
    const s = open({ tasks: first })
    const mark = unique()
    await run(s, `sleep ${mark}; exit 3`, { run_in_background: true })
    await until(() => running(`sleep\0${mark}`).length === 1)
    first.close()
    const second = watching(scratch, ended)
    await second.resume()
    for (const pid of running(`sleep\0${mark}`)) process.kill(pid, 'SIGKILL')
    await until(() => ended.length > 0)
    expect(ended).toHaveLength(1)
    expect(ended[0]?.task.ended?.code).toBe(3)
    second.close()
    scratch.close()
  })

  test('comes at its time limit, also when that passes over a restart', async () => {
    const ended: WatchedTask[] = []
    const scratch = createStage({ tools: [] })
    const first = watching(scratch, ended)
    const s = open({ tasks: first })
    const mark = unique()
    await run(s, `sleep ${mark}`, { run_in_background: true, timeout: 60_000 })
    await until(() => running(`sleep\0${mark}`).length > 0)
    first.close()
    const later = createBackgroundTasks({
      folder: join(scratch.dir, 'tasks'),
      now: () => new Date(Date.now() + 60_001),
      onEnd: async one => {
        ended.push(one)
      },
    })
    await later.resume()
    await until(() => ended.length > 0)
    expect(ended[0]?.task.ended?.overdue).toBe(true)
    expect(running(`sleep\0${mark}`)).toEqual([])
    later.close()
    scratch.close()
  })

  test('is not reported when the user stopped it', async () => {
    const ended: WatchedTask[] = []
    const scratch = createStage({ tools: [] })
    const tasks = watching(scratch, ended)
    const s = open({ tasks })
    await run(s, `sleep ${unique()}`, { run_in_background: true })
    await s.one('TaskStop', { task_id: String(dataOf(s)['backgroundTaskId']) })
    // Another task that ends by itself has been looked at after the stopped one.
    await run(s, 'true', { run_in_background: true })
    const second = String(dataOf(s)['backgroundTaskId'])
    await until(() => ended.length > 0)
    expect(ended.map(one => one.task.task_id)).toEqual([second])
    tasks.close()
    scratch.close()
  })
})

describe('files that a command changes', () => {
  const undoOf = (s: Stage) => {
    const log = {
      read: async (_: string, after: number, limit: number) =>
        s.records.filter(rec => rec.seq > after).slice(0, limit) as Rec[],
      append: async (writes: readonly { readonly events: readonly unknown[] }[]) => {
        for (const write of writes) s.append(...(write.events as Parameters<Stage['append']>))
        return writes.map(() => ({ head: s.state().head })) as never
      },
    }
    let ids = 0
    const newId = (prefix: string): string => `${prefix}${++ids}`
    return createUndo({ log, artifacts: join(s.dir, 'artifacts'), now: () => new Date(), newId })
  }
  const known = async (s: Stage, name: string, text: string): Promise<string> => {
    writeFileSync(s.path(name), text)
    await s.one('Read', { file_path: s.path(name) })
    return s.path(name)
  }

  test('come back byte for byte: changed ones, removed ones, and those changed by another program before', async () => {
    const s = open()
    const a = await known(s, 'a.txt', 'one\n')
    const b = await known(s, 'b.txt', 'two\r\n')
    const c = await known(s, 'c.txt', 'three\n')
    writeFileSync(c, 'changed by somebody\n')
    await run(s, 'sed -i s/one/ONE/ a.txt; rm b.txt; echo more >> c.txt')
    const call = s.state().calls[0]?.call_id ?? ''
    expect(readFileSync(a, 'utf8')).toBe('ONE\n')
    const undo = undoOf(s)
    const dry = await undo('ses_1', { call, dryRun: true })
    expect(dry.files.map(file => file.action)).toEqual(['restored', 'restored', 'restored'])
    expect(existsSync(b)).toBe(false)
    await undo('ses_1', { call })
    expect([a, b, c].map(path => readFileSync(path, 'utf8'))).toEqual([
      'one\n',
      'two\r\n',
      'changed by somebody\n',
    ])
  })

  test('come back with the edits around them, in one step', async () => {
    const s = open()
    const a = await known(s, 'a.txt', 'one\n')
    await s.one('Edit', { file_path: a, old_string: 'one', new_string: 'two' })
    await run(s, 'sed -i s/two/three/ a.txt')
    await undoOf(s)('ses_1', { session: true })
    expect(readFileSync(a, 'utf8')).toBe('one\n')
  })

  test('that changed afterwards are left alone, the others are not', async () => {
    const s = open()
    const a = await known(s, 'a.txt', 'one\n')
    const b = await known(s, 'b.txt', 'two\n')
    await run(s, 'echo x > a.txt; echo x > b.txt')
    const call = s.state().calls[0]?.call_id ?? ''
    writeFileSync(a, 'mine\n')
    const { files } = await undoOf(s)('ses_1', { call })
    expect(files.map(file => file.action)).toEqual(['conflict', 'restored'])
    expect([a, b].map(path => readFileSync(path, 'utf8'))).toEqual(['mine\n', 'two\n'])
    // What was left alone can still be taken back later; what was taken back is done.
    writeFileSync(a, 'x\n')
    expect((await undoOf(s)('ses_1', { call })).files.map(file => file.path)).toEqual([a])
    expect(readFileSync(a, 'utf8')).toBe('one\n')
  })

  test('are known after a cancel too', async () => {
    const s = open()
    const a = await known(s, 'a.txt', 'one\n')
    const mark = unique()
    await s.say([{ name: 'Bash', input: { command: `echo x > a.txt; sleep ${mark}` } }])
    const done = s.settle()
    await until(() => running(`sleep\0${mark}`).length === 1)
    s.cancel()
    await done
    const call = s.state().calls[0]?.call_id ?? ''
    await undoOf(s)('ses_1', { call })
    expect(readFileSync(a, 'utf8')).toBe('one\n')
  })

  test('and files that it creates are gone after an undo; later changes in one are kept', async () => {
    const s = open()
    await run(s, 'mkdir -p sub && echo x > sub/new.txt && echo y > mine.txt && touch empty')
    const call = s.state().calls[0]?.call_id ?? ''
    writeFileSync(s.path('mine.txt'), 'mine\n')
    const { files } = await undoOf(s)('ses_1', { call })
    const actions = Object.fromEntries(
      files.map(file => [file.path.slice(s.workspace.length + 1), file.action]),
    )
    expect(actions).toEqual({ 'sub/new.txt': 'removed', 'mine.txt': 'conflict', empty: 'removed' })
    expect(['sub/new.txt', 'mine.txt', 'empty'].map(name => existsSync(s.path(name)))).toEqual([
      false,
      true,
      false,
    ])
  })

  test('files that it moved, or stopped ignoring, were not made by it and are left alone', async () => {
    const s = open()
    writeFileSync(s.path('.gitignore'), 'secret.txt\n')
    writeFileSync(s.path('secret.txt'), 'old\n')
    writeFileSync(s.path('here.txt'), 'old\n')
    // Older than the clock that stamps files can be mistaken.
    await until(() => Date.now() - statSync(s.path('here.txt')).birthtimeMs > 100)
    await run(s, 'rm .gitignore; mv here.txt there.txt')
    const notes = s.events('note').filter(note => note.name.startsWith('change:'))
    expect(JSON.stringify(notes)).not.toMatch(/secret|there/)
  })

  test('a command that only reads, or changes nothing, notes nothing', async () => {
    const s = open()
    await known(s, 'a.txt', 'one\n')
    await run(s, 'cat a.txt')
    await run(s, 'chmod 600 a.txt')
    expect(s.events('note').filter(note => note.name.startsWith('change:'))).toEqual([])
  })
})

test('without a place for tasks a left child is still named', async () => {
  const s = createStage({ tools: [createBashTool()], mode: 'bypassPermissions' })
  stage = s
  const mark = unique()
  const text = textOf(await s.one('Bash', { command: `sleep ${mark} >/dev/null 2>&1 & true` }))
  const pid = Number(/pid (\d+)/.exec(text)?.[1])
  expect(running(`sleep\0${mark}`)).toEqual([pid])
  process.kill(pid, 'SIGKILL')
})

describe('a command that takes its time', () => {
  test('that says nothing is reported to run still', async () => {
    const s = open({ bash: { heartbeat_ms: 60 } })
    const done = run(s, 'while [ ! -e reported ]; do sleep 0.02; done')
    await until(() => s.events('tool.progress').some(event => event.message?.startsWith('running for')))
    writeFileSync(s.path('reported'), '')
    await done
  })

  test('shows at most the last 30,000 characters of what it has said since', async () => {
    const s = open()
    await run(s, 'seq 1 200000; sleep 0.2; echo end')
    const sizes = s.events('tool.progress').map(event => event.output_delta?.length ?? 0)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(30_000)
    expect(s.events('tool.progress').at(-1)?.output_delta).toContain('end')
  })
})

test('a directory that a background command goes to is not the session’s', async () => {
  const s = open()
  await run(s, 'mkdir sub')
  await run(s, 'cd sub; sleep 0.05', { run_in_background: true })
  const task_id = String(dataOf(s)['backgroundTaskId'])
  await until(async () => textOf(await s.one('TaskOutput', { task_id })).includes('ended'))
  expect(await run(s, 'pwd')).toBe(s.workspace)
})
