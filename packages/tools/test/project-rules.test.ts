/** Rules that outlive a session: saved in the workspace, listed, taken back; and what a checkout cannot grant itself. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import type { ServedTools } from '../src/create-tool-system.ts'
import { createProjectRules, settingsPath } from '../src/permissions/project-rules.ts'
import { codeOf, createStage, type Stage, type StageOptions } from './stage.ts'

let stage: Stage | undefined
afterEach(() => {
  stage?.close()
  stage = undefined
})

/** Rules come into being after the stage has its folder. */
function open(options: Partial<StageOptions> = {}): Stage {
  const project: { current?: ReturnType<typeof createProjectRules> } = {}
  const rules = () => {
    project.current ??= createProjectRules(join(stage?.dir ?? '', 'data', 'trusted-rules.json'))
    return project.current
  }
  stage = createStage({
    tools: createBuiltinTools(),
    permissions: {
      project: {
        of: workspace => rules().of(workspace),
        set: (workspace, wish) => rules().set(workspace, wish),
        revoke: (workspace, rule) => rules().revoke(workspace, rule),
      },
    },
    ...options,
  })
  return stage
}

const permissions = (s: Stage): ServedTools['permissions'] => (s.system() as ServedTools).permissions
const settings = (s: Stage): unknown => JSON.parse(readFileSync(settingsPath(s.workspace), 'utf8'))

function writeSettings(s: Stage, value: unknown): void {
  mkdirSync(dirname(settingsPath(s.workspace)), { recursive: true })
  writeFileSync(settingsPath(s.workspace), typeof value === 'string' ? value : JSON.stringify(value))
}

async function keep(s: Stage, rule: string): Promise<void> {
  s.approve(await s.one('Bash', { command: 'touch a' }), { rule })
  await s.settle()
}

describe('a rule for the project', () => {
  test('is stored exactly as shown in the settings file of the workspace, and holds in other sessions', async () => {
    const s = open()
    await keep(s, 'project:Bash(touch:*)')
    expect(settings(s)).toEqual({ permissions: { allow: ['Bash(touch:*)'] } })
    s.restart()
    expect((await s.one('Bash', { command: 'touch b' })).outcome?.is_error).toBe(false)
    const fresh = { ...s.state(), notes: {} }
    expect(await permissions(s).list(fresh)).toMatchObject([
      { rule: 'Bash(touch:*)', decision: 'allow', source: 'project', revocable: true },
    ])
  })

  test('leaves what else is in the file', async () => {
    const s = open()
    writeSettings(s, { theme: 'dark', permissions: { deny: ['Bash(rm:*)'] } })
    await keep(s, 'project:Bash(touch:*)')
    expect(settings(s)).toEqual({
      theme: 'dark',
      permissions: { deny: ['Bash(rm:*)'], allow: ['Bash(touch:*)'] },
    })
  })

  test('can be taken back: then it is asked again', async () => {
    const s = open()
    await keep(s, 'project:Bash(touch:*)')
    const [rule] = await permissions(s).list(s.state())
    expect(await permissions(s).revoke(s.state(), rule?.id ?? '')).toMatchObject({ type: 'revoked' })
    expect(settings(s)).toEqual({ permissions: { allow: [] } })
    await s.say([{ name: 'Bash', input: { command: 'touch b' } }])
    expect(await s.settle()).toBe('pause')
  })
})

describe('a settings file that came with the project', () => {
  test('may deny and ask', async () => {
    const s = open({ mode: 'bypassPermissions' })
    writeSettings(s, { permissions: { deny: ['Bash(touch:*)'] } })
    expect(codeOf(await s.one('Bash', { command: 'touch x' }))).toBe('denied_rule')
  })

  test('cannot allow what was not allowed here', async () => {
    const s = open()
    writeSettings(s, { permissions: { allow: ['Bash'] } })
    await s.say([{ name: 'Bash', input: { command: 'touch x' } }])
    expect(await s.settle()).toBe('pause')
    expect(await permissions(s).list(s.state())).toEqual([])
  })

  test('that becomes malformed keeps the rules that it had', async () => {
    const s = open({ mode: 'bypassPermissions' })
    writeSettings(s, { permissions: { deny: ['Bash(touch:*)'] } })
    expect(codeOf(await s.one('Bash', { command: 'touch x' }))).toBe('denied_rule')
    writeSettings(s, '{ not json')
    expect(codeOf(await s.one('Bash', { command: 'touch y' }))).toBe('denied_rule')
  })

  test.each(['acceptEdits', 'bypassPermissions'])(
    'is not written without a question in the mode %s',
    async mode => {
      const s = open({ mode })
      await s.say([{ name: 'Write', input: { file_path: settingsPath(s.workspace), content: '{}' } }])
      expect(await s.settle()).toBe('pause')
    },
  )
})

describe('a rule of the session', () => {
  test('is listed and can be taken back by forgetting its note', async () => {
    const s = open()
    await keep(s, 'Bash(touch:*)')
    const [grant] = await permissions(s).list(s.state())
    expect(grant).toMatchObject({ rule: 'Bash(touch:*)', source: 'session', revocable: true })
    const revoked = await permissions(s).revoke(s.state(), grant?.id ?? '')
    expect(revoked).toMatchObject({ type: 'note', name: 'rule:Bash(touch:*)' })
    s.append({ type: 'note', ts: '', name: 'rule:Bash(touch:*)', value: null })
    expect(await permissions(s).list(s.state())).toEqual([])
    await s.say([{ name: 'Bash', input: { command: 'touch b' } }])
    expect(await s.settle()).toBe('pause')
  })
})

test('a rule of the configuration is listed and cannot be taken back; an unknown id is unknown', async () => {
  const s = open({ permissions: { rules: { deny: ['Bash(rm:*)'] }, source: 'configuration' } })
  const [rule] = await permissions(s).list(s.state())
  expect(rule).toMatchObject({ decision: 'deny', source: 'configuration', revocable: false })
  expect(await permissions(s).revoke(s.state(), rule?.id ?? '')).toMatchObject({ type: 'fixed' })
  expect(await permissions(s).revoke(s.state(), 'rule_x')).toEqual({ type: 'unknown' })
})

test('a dry run shows what a rule would have allowed, and how much of it writes', async () => {
  const s = open()
  const system = s.system() as ServedTools
  const call = (command: string) => ({ call_id: command, name: 'Bash', input: { command } })
  const rehearsal = await system.rehearse({
    session_id: 'ses_1',
    session: s.state(),
    rule: 'Bash(touch:*)',
    calls: [call('touch a'), call('touch b'), call('ls'), call('rm a')],
  })
  expect(rehearsal).toMatchObject({ rule: 'Bash(touch:*)', calls: 4, writes: 2 })
  expect(rehearsal.allowed.map(one => one.call_id)).toEqual(['touch a', 'touch b'])
  const bad = { session_id: 'ses_1', session: s.state(), rule: '((', calls: [] }
  await expect(system.rehearse(bad)).rejects.toMatchObject({ code: 'bad_request' })
})

test('plan mode allows fetching pages after approval, and searches at once', async () => {
  const s = open({ mode: 'plan' })
  await s.say([{ name: 'WebFetch', input: { url: 'https://example.com/', prompt: 'x' } }])
  expect(await s.settle()).toBe('pause')
  expect(codeOf(await s.one('Write', { file_path: s.path('a'), content: '' }))).toBe('denied_mode')
})
