/** Rules set by hand: for a session or a project, to allow, to ask or to deny; changed and revoked. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import type { ServedTools } from '../src/create-tool-system.ts'
import { createProjectRules, settingsPath } from '../src/permissions/project-rules.ts'
import type { RuleInput } from '../src/permissions/set-rule.ts'
import { codeOf, createStage, type Stage } from './stage.ts'

let stage: Stage | undefined
afterEach(() => {
  stage?.close()
  stage = undefined
})

function open(): Stage {
  const project = () => createProjectRules(join(stage?.dir ?? '', 'data', 'trusted-rules.json'))
  stage = createStage({
    tools: createBuiltinTools(),
    permissions: {
      rules: { deny: ['Bash(rm:*)'] },
      source: 'configuration',
      project: {
        of: (...args) => project().of(...args),
        set: (...args) => project().set(...args),
        revoke: (...args) => project().revoke(...args),
      },
    },
  })
  return stage
}

const permissions = (s: Stage): ServedTools['permissions'] => (s.system() as ServedTools).permissions

/** Sets it as the server does: what is the session's own goes into its log. */
async function set(s: Stage, wish: RuleInput, replaces?: string) {
  const done = await permissions(s).set(s.state(), wish, replaces)
  if (done.type === 'set') for (const note of done.notes) s.append({ type: 'note', ts: '', ...note })
  return done
}

const listed = async (s: Stage): Promise<readonly string[]> =>
  (await permissions(s).list(s.state()))
    .filter(({ source }) => source !== 'configuration')
    .map(({ source, decision, rule }) => `${source} ${decision} ${rule}`)

const idOf = async (s: Stage, text: string): Promise<string> =>
  (await permissions(s).list(s.state())).find(({ rule }) => rule === text)?.id ?? ''

const settings = (s: Stage): unknown => JSON.parse(readFileSync(settingsPath(s.workspace), 'utf8'))

function writeSettings(s: Stage, value: unknown): void {
  mkdirSync(dirname(settingsPath(s.workspace)), { recursive: true })
  writeFileSync(settingsPath(s.workspace), typeof value === 'string' ? value : JSON.stringify(value))
}

const scopes = ['session', 'project'] as const

test.each(scopes)('a rule of a %s allows, asks or denies from the next call on', async scope => {
  const s = open()
  await set(s, { rule: 'Bash(touch:*)', decision: 'allow', scope })
  expect((await s.one('Bash', { command: 'touch a' })).outcome?.is_error).toBe(false)
  await set(s, { rule: 'Bash(touch:*)', decision: 'deny', scope })
  expect(codeOf(await s.one('Bash', { command: 'touch b' }))).toBe('denied_rule')
  expect(await listed(s)).toEqual([`${scope} deny Bash(touch:*)`])
  await set(s, { rule: 'Bash(touch:*)', decision: 'allow', scope })
  await set(s, { rule: 'Bash(pwd)', decision: 'ask', scope })
  expect(await listed(s)).toHaveLength(2)
  await s.say([{ name: 'Bash', input: { command: 'pwd' } }])
  expect(await s.settle()).toBe('pause')
})

test.each(scopes)('a rule of a %s that denies is taken back like any other', async scope => {
  const s = open()
  const done = await set(s, { rule: 'Bash(pwd)', decision: 'deny', scope })
  const id = done.type === 'set' ? done.rule.id : ''
  const revoked = await permissions(s).revoke(s.state(), id)
  if (revoked.type === 'note') s.append({ type: 'note', ts: '', name: revoked.name, value: null })
  expect(await listed(s)).toEqual([])
  expect((await s.one('Bash', { command: 'pwd' })).outcome?.is_error).toBe(false)
})

test('a rule replaces another, also in another scope, and returns the old one', async () => {
  const s = open()
  await set(s, { rule: 'Bash(touch:*)', decision: 'allow', scope: 'project' })
  const narrow: RuleInput = { rule: '@explore  Bash(touch a)', decision: 'allow', scope: 'project' }
  const done = await set(s, narrow, await idOf(s, 'Bash(touch:*)'))
  expect(done).toMatchObject({
    rule: { rule: '@explore Bash(touch a)' },
    replaced: { rule: 'Bash(touch:*)' },
  })
  expect(await listed(s)).toEqual(['project allow @explore Bash(touch a)'])
  await set(s, { ...narrow, scope: 'session' }, await idOf(s, '@explore Bash(touch a)'))
  expect(await listed(s)).toEqual(['session allow @explore Bash(touch a)'])
  await set(s, { ...narrow, rule: 'Bash(touch a)' }, await idOf(s, '@explore Bash(touch a)'))
  expect(await listed(s)).toEqual(['project allow Bash(touch a)'])
  await set(s, { ...narrow, rule: 'Bash(touch a)', expires_at: '2099-01-01T00:00:00Z' })
  expect(await permissions(s).list(s.state())).toMatchObject([{}, { expires_at: '2099-01-01T00:00:00Z' }])
})

test.each(scopes)('a rule of a %s that is changed in its decision alone stays where it is', async scope => {
  const s = open()
  await set(s, { rule: 'Bash(touch:*)', decision: 'allow', scope })
  await set(s, { rule: 'Bash(touch:*)', decision: 'ask', scope }, await idOf(s, 'Bash(touch:*)'))
  expect(await listed(s)).toEqual([`${scope} ask Bash(touch:*)`])
})

test('what a person wrote into the file of a project stays, whatever is set here', async () => {
  const s = open()
  const deny = ['Bash(touch:*)', { rule: 'Bash(pwd)', message: 'Ask me instead.' }]
  const allow = [{ rule: 'Bash(make)', match: ['make'] }]
  writeSettings(s, { permissions: { deny, allow } })
  const fixed = await idOf(s, 'Bash(touch:*)')
  expect(await set(s, { rule: 'Bash', decision: 'allow', scope: 'project' }, fixed)).toMatchObject({
    type: 'fixed',
  })
  await set(s, { rule: 'Bash(touch:*)', decision: 'allow', scope: 'project' })
  await set(s, { rule: 'Bash(pwd)', decision: 'deny', scope: 'project' })
  await permissions(s).revoke(s.state(), await idOf(s, 'Bash(pwd)'))
  await set(s, { rule: 'Bash(touch:*)', decision: 'deny', scope: 'project' })
  await set(s, { rule: 'Bash(make)', decision: 'allow', scope: 'project' })
  await permissions(s).revoke(s.state(), await idOf(s, 'Bash(make)'))
  expect(settings(s)).toEqual({ permissions: { deny, allow } })
  expect(codeOf(await s.one('Bash', { command: 'touch b' }))).toBe('denied_rule')
})

test('a rule of the session with an unknown decision denies', async () => {
  const s = open()
  s.append({ type: 'note', ts: '', name: 'rule:Bash(pwd)', value: { decision: 'perhaps' } })
  expect(codeOf(await s.one('Bash', { command: 'pwd' }))).toBe('denied_rule')
})

test('a checkout that brings a rule set elsewhere cannot have it taken for one that was set here', async () => {
  const s = open()
  await set(s, { rule: 'Bash(touch:*)', decision: 'deny', scope: 'project' })
  writeSettings(s, { permissions: { allow: ['Bash(touch:*)'] } })
  expect(await listed(s)).toEqual([])
})

test.each([
  ['no rule at all', {}, 'bad_request'],
  ['one whose end is past', { rule: 'Bash', expires_at: '2001-01-01T00:00:00Z' }, 'bad_request'],
  ['one in a file that is malformed', { rule: 'Bash', scope: 'project' }, 'conflict'],
] as const)('%s is refused, and nothing changes', async (_name, wish, code) => {
  const s = open()
  if (code === 'conflict') writeSettings(s, '{ not json')
  const asked = permissions(s).set(s.state(), { rule: '((', decision: 'allow', scope: 'session', ...wish })
  await expect(asked).rejects.toMatchObject({ code })
  expect(await listed(s)).toEqual([])
})

test('a rule of the configuration is not replaced, nor one that is not there', async () => {
  const s = open()
  const wish: RuleInput = { rule: 'Bash(rm a)', decision: 'allow', scope: 'session' }
  expect(await set(s, wish, await idOf(s, 'Bash(rm:*)'))).toMatchObject({ type: 'fixed' })
  expect(await set(s, wish, 'rule_x')).toEqual({ type: 'unknown' })
  expect(await listed(s)).toEqual([])
})

test('a dry run explains a rule: its agents, its tools, and the number of calls it would decide otherwise', async () => {
  const s = open()
  const { rehearse } = s.system() as ServedTools
  const call = (command: string) => ({ call_id: command, name: 'Bash', input: { command }, agent: 'main' })
  const base = { session_id: 'ses_1', session: s.state(), calls: [call('touch a'), call('ls'), call('rm a')] }
  expect(await rehearse({ ...base, rule: '@explore  Edit(src/**)', decision: 'deny' })).toMatchObject({
    rule: '@explore Edit(src/**)',
    decision: 'deny',
    agent: 'explore',
    content: 'src/**',
    tools: ['Edit', 'Write', 'NotebookEdit'],
    changed: 0,
  })
  expect(await rehearse({ ...base, rule: 'Bash', decision: 'deny' })).toMatchObject({
    tools: ['Bash'],
    changed: 2,
  })
  expect(await rehearse({ ...base, rule: 'Bash', decision: 'ask' })).toMatchObject({
    changed: 1,
    allowed: [],
  })
  expect(await rehearse({ ...base, rule: 'Bush' })).toMatchObject({ tools: [], changed: 0 })
})
