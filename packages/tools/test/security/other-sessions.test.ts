/** What a session can reach of another one by knowing its ids. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createMemoryStore } from '@toolwire/store'
import { afterEach, expect, test } from 'vitest'
import { promptFor, type ScriptedCall, scriptedModel } from '../../../runtime/test/loop/scripted-model.ts'
import { fold, opening, openStage, readAll, SESSION, seed } from '../../../runtime/test/loop/stage.ts'
import { artifactFile } from '../../src/bound-output.ts'
import { createBuiltinTools } from '../../src/builtin/builtin-tools.ts'
import { createPathGuard } from '../../src/permissions/path-guard.ts'
import { parseRule } from '../../src/permissions/rules.ts'
import { judgeCommand } from '../../src/permissions/shell/judge-command.ts'
import { codeOf, createStage, type Stage, textOf } from '../stage.ts'

const stages: Stage[] = []
afterEach(() => {
  for (const stage of stages.splice(0)) stage.close()
})

test('an agent of another session cannot be resumed, though its id is known', async () => {
  const agent = (more: object): ScriptedCall => ({ name: 'Agent', input: { prompt: promptFor([]), ...more } })
  async function play(call: ScriptedCall) {
    const store = createMemoryStore()
    const stage = openStage(store, scriptedModel([{ calls: [call] }], []))
    await seed(store, opening('go'))
    await stage.runtime.start()
    stage.runtime.wake(SESSION)
    await stage.runtime.settled()
    await stage.runtime.stop()
    return store
  }
  const [id = ''] = Object.keys((await fold(await play(agent({})))).past_agents ?? {})
  expect(id).not.toBe('')
  const other = await play(agent({ resume: id }))
  expect((await readAll(other)).some(rec => rec.ev.type === 'agent.started')).toBe(false)
})

test('a background command of another session is neither read nor stopped', async () => {
  const tools = createBuiltinTools()
  const [mine, theirs] = ['ses_mine', 'ses_theirs'].map(session_id => {
    const stage = createStage({ tools, session_id, mode: 'bypassPermissions' })
    stages.push(stage)
    return stage
  })
  if (!mine || !theirs) throw new Error('there are two')
  const task_id =
    /task_\w+/.exec(textOf(await mine.one('Bash', { command: 'sleep 60', run_in_background: true })))?.[0] ??
    ''
  expect(codeOf(await theirs.one('TaskOutput', { task_id }))).toBe('not_found')
  expect(codeOf(await theirs.one('TaskStop', { task_id }))).toBe('not_found')
  expect(textOf(await theirs.one('TaskList', {}))).not.toContain(task_id)
  expect(textOf(await mine.one('TaskOutput', { task_id }))).toContain('running')
  await mine.one('TaskStop', { task_id })
})

test('the stored outputs of another session are asked about, those of the own are not', async () => {
  const stage = createStage({ tools: createBuiltinTools(), session_id: 'ses_mine' })
  stages.push(stage)
  const artifacts = join(stage.dir, 'artifacts')
  for (const session of ['ses_mine', 'ses_theirs']) {
    const file = artifactFile(artifacts, session, 'call_1')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, 'kept')
  }
  const own = await stage.one('Read', { file_path: artifactFile(artifacts, 'ses_mine', 'call_1') })
  expect(textOf(own)).toContain('kept')
  const other = await stage.one('Read', { file_path: artifactFile(artifacts, 'ses_theirs', 'call_1') })
  expect(other.approval).toBeDefined()
})

test('no two ids share a file, whatever they are made of, and none leaves the folder', () => {
  const ids = [
    'a',
    'a.b',
    'a/b',
    'a_b',
    '../a',
    '..',
    '.',
    '',
    'A'.repeat(121),
    'A'.repeat(128),
    `${'A'.repeat(120)}B`,
  ]
  const files = ids.map(id => artifactFile('/data', id, 'c'))
  expect(new Set(files).size).toBe(ids.length)
  for (const file of files) expect(file).toMatch(/^\/data\/[A-Za-z0-9_-]{1,160}\/c\.log$/)
})

test.each([
  ['nested substitutions', `echo ${'$('.repeat(20_000)}`],
  ['open groups', '('.repeat(50_000)],
  ['quotes', `echo ${'"\''.repeat(50_000)}`],
  ['operators', 'ls '.concat('&& ls '.repeat(20_000))],
  ['a script of spaces', `sed -n '${' '.repeat(50_000)}x'`],
  ['a script of addresses', `sed -n '${'1,2p;'.repeat(10_000)}!'`],
  ['braces', `ls ${'{a,b}'.repeat(5_000)}`],
  ['escapes', `ls ${'\\'.repeat(100_001)}`],
])('a command line of %s is judged, and does not hold the process up', (_, command) => {
  const around = {
    cwd: '/w',
    home: '/home/me',
    isInside: () => true,
    realPath: (path: string) => path,
    entries: () => [],
    repository: 'own' as const,
  }
  expect(judgeCommand(command, around)).toHaveProperty('ok')
})

test('a command line of wildcards over many names is asked about, and compares no more of them than it may', () => {
  let listed = 0
  let compared = 0
  const name = (): string => {
    compared++
    return 'a'.repeat(100)
  }
  const around = {
    cwd: '/w',
    home: '/home/me',
    isInside: () => true,
    realPath: (path: string) => path,
    entries: () => {
      listed++
      return Array.from({ length: 3000 }, () => ({
        isLink: false,
        get name() {
          return name()
        },
      }))
    },
    repository: 'own' as const,
  }
  const judge = (globs: readonly string[]) => {
    const judged = judgeCommand(`wc -l ${globs.join(' ')}`, around)
    const rule = parseRule('Read(/w/secret)', 'deny', 'config')
    const { realPath } = around
    const guard = createPathGuard([rule], { workspaces: ['/w'], realPath, ignoresCase: () => false })
    return judged.ok && guard
      ? [judged.commands[0]?.because, judged.commands[0]?.meets(guard)?.isCertain]
      : []
  }
  expect(judge(['many/*a*'])).toEqual([undefined, undefined])
  expect([listed, compared < 20_000]).toEqual([1, true])
  compared = 0
  expect(judge(Array.from({ length: 90 }, (_, n) => `many/*a*a*${n}`))).toEqual([undefined, false])
  expect(compared).toBeLessThan(20_000)
  expect(judge(Array.from({ length: 90 }, (_, n) => `many${n}/*`))).toEqual([
    'it names too many files to be judged',
    false,
  ])
})
