/** The tasks of `toolwire eval`: every check accepts the good script and rejects the bad one. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Model } from '@toolwire/core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { bash, call, type EvalTask, type ScriptedMessage } from '../src/eval/eval-task.ts'
import { runTask, type TaskResult } from '../src/eval/run-task.ts'
import { scriptedModel } from '../src/eval/scripted-model.ts'
import { EVAL_TASKS } from '../src/eval/tasks.ts'
import { inFolder, run } from './launch.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const runScript = (task: EvalTask, script: readonly ScriptedMessage[]): Promise<TaskResult> =>
  runTask(task, { model: scriptedModel(task.name, script) })

const PAGE = readFileSync(new URL('../../../docs/eval.md', import.meta.url), 'utf8')

test('the page of the command lists every task once', () => {
  const section = PAGE.slice(PAGE.indexOf('## Tasks'), PAGE.indexOf('Each task has'))
  const names = [...section.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name)
  expect(names).toEqual(EVAL_TASKS.map(task => task.name))
})

test('no two tasks have the same name', () => {
  expect(new Set(EVAL_TASKS.map(task => task.name)).size).toBe(EVAL_TASKS.length)
})

describe.each(EVAL_TASKS.map(task => [task.name, task] as const))('the task %s', (_, task) => {
  test('accepts a good run', async () => {
    expect((await runScript(task, task.good)).problems).toEqual([])
  })

  test('rejects a bad run', async () => {
    const { problems, run } = await runScript(task, task.bad)
    expect(problems).not.toEqual([])
    // The check of the task found them: the run itself and its requests are in order.
    expect(task.check(run)).toEqual(problems)
  })
})

const emptyTask = (values: Partial<EvalTask> = {}): EvalTask => ({
  name: 'empty',
  files: {},
  request: 'Do it.',
  check: () => [],
  good: [],
  bad: [],
  ...values,
})

test('a command in the background ends with its task', async () => {
  const { run } = await runScript(emptyTask(), [
    [call('Bash', { command: 'echo $$ > pid; exec sleep 600', run_in_background: true })],
    [bash('until [ -s pid ]; do sleep 0.05; done')],
    'Started.',
  ])
  const pid = Number(run.read('pid'))
  expect(pid).toBeGreaterThan(1)
  // An ended process stays listed as a zombie until the machine's first process collects it.
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  expect(stdout.trim()).toMatch(/^(Z.*)?$/)
})

test.each([
  call('Write', { file_path: '/toolwire-eval-outside', content: 'x' }),
  call('Read', { file_path: '/etc/hostname' }),
  call('WebFetch', { url: 'https://example.com/', prompt: 'Summarize it.' }),
])('a call that leaves the workspace waits for approval: %j', async outside => {
  const { run } = await runScript(emptyTask(), [[outside], 'Done.'])
  expect(run.outcome).toBe('paused')
})

test('reading the commits starts no program that the repository names', async () => {
  await inFolder(async dir => {
    writeFileSync(join(dir, 'program'), `#!/bin/sh\ntouch ${dir}/started\n`, { mode: 0o755 })
    const sign = `sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\\n x\\n -----END PGP SIGNATURE-----'`
    const { run } = await runScript(emptyTask({ files: { a: 'a\n' }, git: true }), [
      [bash(`git config log.showSignature true && git config gpg.program ${dir}/program`)],
      [
        bash(
          `git update-ref HEAD $(git cat-file commit HEAD | ${sign} | git hash-object -t commit -w --stdin)`,
        ),
      ],
      [bash('git cat-file commit HEAD')],
      'Done.',
    ])
    expect(run.calls.at(-1)?.output).toContain('gpgsig')
    expect(run.commits).toEqual({ subjects: ['feat: first version'], latest: ['a'] })
    expect(readdirSync(dir)).toEqual(['program'])
  })
})

test('a workspace that the model removed is a result like others', async () => {
  const { run } = await runScript(emptyTask({ files: { a: 'a\n' }, git: true }), [
    [bash('rm -rf "$PWD"')],
    'Removed.',
  ])
  expect(run.changed).toEqual(['a'])
  expect(run.commits).toEqual({ subjects: [], latest: [] })
})

const model = (stream: Model['stream']): Model => ({ ...scriptedModel('own', ['']), stream })

test("a run that failed is reported with the provider's message", async () => {
  const failing = model(async function* () {
    yield { type: 'error', error: { code: 'model_auth', message: 'The key is wrong.', retryable: false } }
  })
  const { problems } = await runTask(emptyTask(), { model: failing })
  expect(problems).toEqual(['the run failed: The key is wrong.'])
})

test('a stopped evaluation rejects and leaves no folder', async () => {
  await inFolder(async dir => {
    vi.stubEnv('TMPDIR', dir)
    const stopping = new AbortController()
    const waiting = model(async function* (_, signal) {
      expect(readdirSync(dir)).toHaveLength(1)
      const aborted = new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
      stopping.abort(new Error('stopped'))
      await aborted
      yield { type: 'error', error: { code: 'cancelled', message: 'aborted', retryable: false } }
    })
    const running = runTask(emptyTask(), { model: waiting, signal: stopping.signal })
    await expect(running).rejects.toThrow('stopped')
    expect(readdirSync(dir)).toEqual([])
  })
})

describe('the command', () => {
  test('prints a row per task and the total, as its page shows', async () => {
    await inFolder(async dir => {
      const { code, stdout, stderr } = await run(['eval', '--task', 'fix', 'ask'], dir)
      expect(stdout).toBe(/^```text\n([\s\S]*?)^```$/m.exec(PAGE)?.[1])
      expect(stderr).toContain('This tests the tasks, not a model.')
      expect(code).toBe(0)
    })
  })

  test('prints JSON and exits with 1 when a task did not pass', async () => {
    await inFolder(async dir => {
      const words = ['eval', '--model', 'demo', '--no-sandbox', '--times', '2', '--task', 'scope', '--json']
      const { code, stdout } = await run(words, dir)
      expect(JSON.parse(stdout)).toEqual({
        model: 'demo',
        passed: 0,
        total: 1,
        tasks: [
          {
            task: 'scope',
            runs: 2,
            passed: 0,
            model_requests: expect.any(Number),
            calls: expect.any(Number),
            cost_usd: 0,
            problems: ['other files than a.ts differ'],
          },
        ],
      })
      expect(code).toBe(1)
    })
  })

  test.each([
    [['--task', 'nope'], 'There is no task nope. Tasks: lang, '],
    [['--times', '0'], '--times takes a number from 1 to 100.'],
    [['--model', 'claude-sonnet-5-5'], 'needs an API key of Anthropic'],
    [['--model', 'demo'], 'they need a sandbox'],
  ])('explains what is wrong with %j', async (words, sentence) => {
    await inFolder(async dir => {
      // A search path without bubblewrap.
      const { code, stdout, stderr } = await run(['eval', ...words], dir, { PATH: dir })
      expect(stderr).toContain(sentence)
      expect(stdout).toBe('')
      expect(code).toBe(2)
    })
  })

  test('asks for consent before it loads a configuration file of the folder', async () => {
    await inFolder(async dir => {
      writeFileSync(`${dir}/toolwire.config.json`, '{"modelsModule":"./models.mjs"}')
      writeFileSync(`${dir}/models.mjs`, 'console.log("loaded")')
      const { code, stdout, stderr } = await run(['eval', '--model', 'demo'], dir, { TOOLWIRE_CONFIG: '' })
      expect(stderr).toContain('you have not allowed its present content')
      expect(stdout).toBe('')
      expect(code).toBe(2)
    })
  })
})
