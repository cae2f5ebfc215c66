/** Rules that are given for a time: they count until its end, and no longer. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import type { ServedTools } from '../src/create-tool-system.ts'
import { createProjectRules, settingsPath } from '../src/permissions/project-rules.ts'
import { loadRules } from '../src/permissions/rules.ts'
import { createStage, type Stage } from './stage.ts'

const NOON = '2026-01-01T12:00:00.000Z'
const ONE = '2026-01-01T13:00:00.000Z'
let now = new Date(NOON)
let stage: Stage | undefined
afterEach(() => {
  stage?.close()
  stage = undefined
})

function open(rules = {}): Stage {
  now = new Date(NOON)
  const project = (): ReturnType<typeof createProjectRules> =>
    createProjectRules(join(stage?.dir ?? '', 'data', 'trusted-rules.json'))
  stage = createStage({
    tools: createBuiltinTools(),
    permissions: {
      rules,
      now: () => now,
      project: {
        of: workspace => project().of(workspace),
        set: (...args) => project().set(...args),
        revoke: (...args) => project().revoke(...args),
      },
    },
  })
  return stage
}

async function keep(s: Stage, rule: string): Promise<void> {
  s.approve(await s.one('Bash', { command: 'touch a' }), { rule, rule_expires_at: ONE })
  await s.settle()
}

/** Whether a call like it runs without a question. */
async function runs(s: Stage): Promise<boolean> {
  const call = await s.one('Bash', { command: 'touch again' })
  return call.outcome?.is_error === false
}

const list = (s: Stage) => (s.system() as ServedTools).permissions.list(s.state())

describe.each([
  ['session', ''],
  ['project', 'project:'],
])('a rule of the %s that expires', (_, prefix) => {
  test('applies until its end, also after a restart, and asks again from then on', async () => {
    const s = open()
    await keep(s, `${prefix}Bash(touch:*)`)
    expect(s.events('tool.approval_resolved')[0]).toMatchObject({ rule_expires_at: ONE })
    now = new Date('2026-01-01T12:59:59.999Z')
    s.restart()
    expect(await list(s)).toMatchObject([{ rule: 'Bash(touch:*)', expires_at: ONE, revocable: true }])
    expect(await runs(s)).toBe(true)
    now = new Date(ONE)
    expect(await list(s)).toEqual([])
    expect(await runs(s)).toBe(false)
  })

  test('can be taken back before', async () => {
    const s = open()
    await keep(s, `${prefix}Bash(touch:*)`)
    const [rule] = await list(s)
    const revoked = await (s.system() as ServedTools).permissions.revoke(s.state(), rule?.id ?? '')
    if (revoked.type === 'note') s.append({ type: 'note', ts: '', name: revoked.name, value: null })
    expect(await list(s)).toEqual([])
    expect(await runs(s)).toBe(false)
  })

  test('is renewed when it is allowed again', async () => {
    const s = open()
    await keep(s, `${prefix}Bash(touch:*)`)
    now = new Date('2026-01-02T12:00:00.000Z')
    s.approve(await s.one('Bash', { command: 'touch b' }), { rule: `${prefix}Bash(touch:*)` })
    await s.settle()
    const [rule, ...others] = await list(s)
    expect(rule).toMatchObject({ rule: 'Bash(touch:*)' })
    expect(rule).not.toHaveProperty('expires_at')
    expect(others).toEqual([])
  })
})

test('the end of a project rule cannot be moved by editing the settings of the workspace', async () => {
  const s = open()
  await keep(s, 'project:Bash(touch:*)')
  const path = settingsPath(s.workspace)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    permissions: { allow: [{ rule: 'Bash(touch:*)', expires_at: ONE }] },
  })
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify({ permissions: { allow: ['Bash(touch:*)'] } }))
  now = new Date(ONE)
  expect(await runs(s)).toBe(false)
})

test('a rule of the configuration may expire too, and one with an end that is no moment is refused', async () => {
  const s = open({ allow: [{ rule: 'Bash(touch:*)', expires_at: ONE }] })
  expect(await runs(s)).toBe(true)
  now = new Date(ONE)
  expect(await runs(s)).toBe(false)
  expect(() => loadRules({ allow: [{ rule: 'Bash', expires_at: 'soon' }] }, 'test', '/w')).toThrow(/soon/)
})
