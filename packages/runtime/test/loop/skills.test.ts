/** Skills in the loop: in the prompt, loaded once, in the log, and kept by a compaction. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ModelRequest } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { skillsToRepeat } from '../../src/loop/repeat-skills.ts'
import { AUTO, changes, contexts, folder, openContext, systemTexts } from './context-stage.ts'
import { promptFor } from './scripted-model.ts'
import { readAll, seed } from './stage.ts'

const SKILLS = { context: { ...AUTO.context, skills: 'auto' } }
const REVIEW = '---\nname: review\ndescription: Reviews code\n---\nRead the diff. $ARGUMENTS'

function withSkill(cwd = folder(), text = REVIEW, name = 'review'): string {
  const file = join(cwd, '.claude/skills', name, 'SKILL.md')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return cwd
}
const toolsOf = (request: ModelRequest | undefined) => (request?.tools ?? []).map(({ name }) => name)
const LOAD = [{ calls: [{ name: 'Skill', input: { name: 'review' } }] }]

test('without skills there is no word about them, and no tool', async () => {
  const { seen, say, store } = await openContext({ created: SKILLS })
  await say()
  expect(seen[0]?.system).not.toMatch(/skill/i)
  expect(toolsOf(seen[0])).not.toContain('Skill')
  expect((await contexts(store))[0]?.skills).toBeUndefined()
})

test('sessions of older logs, and those that want none, have no skills', async () => {
  for (const created of [
    AUTO,
    { context: { ...AUTO.context, skills: 'off' } },
    { context: { ...AUTO.context, skills: [] } },
  ]) {
    const { seen, say } = await openContext({ cwd: withSkill(), created })
    await say()
    expect(seen[0]?.system).not.toContain('Reviews code')
    expect(toolsOf(seen[0])).not.toContain('Skill')
  }
})

test('a session may name its skills; one that is missing is a warning', async () => {
  const cwd = withSkill(withSkill(), '---\ndescription: Other thing\n---\n', 'other')
  const { seen, say, store } = await openContext({
    cwd,
    created: { context: { ...AUTO.context, skills: ['other', 'gone'] } },
  })
  await say()
  expect(seen[0]?.system).toContain('- other: Other thing')
  expect(seen[0]?.system).not.toContain('Reviews code')
  expect((await contexts(store))[0]?.warnings).toContainEqual('There is no skill "gone"')
})

test('the list is a part of the recorded prompt, between the project and the environment', async () => {
  const cwd = withSkill()
  writeFileSync(join(cwd, 'AGENTS.md'), 'Use tabs.')
  const { seen, say, store } = await openContext({ cwd, created: SKILLS })
  await say()
  const [context] = await contexts(store)
  expect(context?.parts.map(({ key }) => key)).toEqual(['core', 'policy', 'project', 'skills', 'environment'])
  expect(context?.parts.find(({ key }) => key === 'policy')?.rules).toContain('skill')
  expect(seen[0]?.system).toContain('- review: Reviews code')
  expect(toolsOf(seen[0])).toContain('Skill')
})

test('a session in a folder that is not trusted is given none of its skills', async () => {
  const { seen, say, store } = await openContext({
    cwd: withSkill(),
    created: SKILLS,
    prompt: { trusted: [] },
  })
  await say()
  expect(seen[0]?.system).not.toContain('Reviews code')
  expect((await contexts(store))[0]?.skipped).toEqual([expect.stringContaining('.claude/skills')])
})

test('a skill that rules keep from being read is not listed', async () => {
  const explain = async () => ({ decision: 'deny', rule: { decision: 'deny' } }) as never
  const { seen, say, store } = await openContext({ cwd: withSkill(), created: SKILLS, prompt: { explain } })
  await say()
  expect(seen[0]?.system).not.toContain('Reviews code')
  expect((await contexts(store))[0]?.skipped).toEqual([expect.stringContaining('review/SKILL.md')])
})

test('a loaded text is in the log: another node without the files sends the same history', async () => {
  const cwd = withSkill()
  const first = await openContext({ cwd, created: SKILLS, turns: LOAD })
  await first.say()
  await first.runtime.stop()
  rmSync(join(cwd, '.claude'), { recursive: true })
  const second = await openContext({ store: first.store, cwd })
  await second.say()
  const before = first.seen.at(-1)
  const [request] = second.seen
  expect(request?.system).toBe(before?.system)
  expect(JSON.stringify(request?.messages)).toContain('Read the diff.')
  expect(request?.messages.slice(0, before?.messages.length)).toEqual(before?.messages)
  expect((await changes(first.store)).map(({ key, text }) => [key, text])).toEqual([
    ['skills', 'There are no skills any more.'],
  ])
  expect(toolsOf(request)).not.toContain('Skill')
})

test('a skill that is added later is reported behind the newest message, and can be loaded', async () => {
  const stage = await openContext({ created: SKILLS, turns: LOAD })
  await stage.say()
  withSkill(stage.cwd)
  await stage.say()
  expect(systemTexts(stage.seen.at(-1)).join('\n')).toContain('- review: Reviews code')
  expect(JSON.stringify(stage.seen.at(-1)?.messages)).toContain('Read the diff.')
})

test('a person loads one with its name, once, behind the message', async () => {
  const { seen, say, store } = await openContext({ cwd: withSkill(), created: SKILLS })
  await say('/review the parser')
  await say('and now?')
  const loaded = (await readAll(store)).flatMap(({ ev }) => (ev.type === 'skill.loaded' ? [ev] : []))
  expect(loaded).toMatchObject([
    { name: 'review', by: 'user', text: expect.stringContaining('Read the diff. the parser') },
  ])
  expect(seen[0]?.messages.map(({ role }) => role)).toEqual(['user', 'system'])
  expect(systemTexts(seen[0])[0]).toContain('Read the diff. the parser')
  expect(systemTexts(seen[1])).toHaveLength(1)
})

test.each(['/unknown', '/review/x', 'see /review', '/hidden'])(
  '%s is a message like any other',
  async text => {
    const cwd = withSkill(withSkill(), '---\ndescription: x\nuser-invocable: false\n---\n', 'hidden')
    const { say, store } = await openContext({ cwd, created: SKILLS })
    await say(text)
    expect((await readAll(store)).map(({ ev }) => ev.type)).not.toContain('skill.loaded')
  },
)

test('subagents that have the tool are shown the list', async () => {
  const task = (subagent_type: string) => ({ name: 'Agent', input: { prompt: promptFor([]), subagent_type } })
  const turns = [{ calls: [task('general-purpose')] }, { calls: [task('explore')] }]
  const { seen, say } = await openContext({ cwd: withSkill(), created: SKILLS, turns })
  await say()
  const systems = seen.map(({ system }) => system ?? '').filter(system => system.includes('another agent'))
  expect(systems).toHaveLength(2)
  expect(systems.map(system => system.includes('- review: Reviews code'))).toEqual([true, false])
})

test('a loaded skill survives a compaction whole, and is not loaded again', async () => {
  const text = `${REVIEW} ${'Look twice. '.repeat(200)}`
  const stage = await openContext({
    cwd: withSkill(folder(), text),
    created: SKILLS,
    turns: LOAD,
    window: 6_000,
  })
  await stage.say()
  await stage.say(`more ${'word '.repeat(4_000)}`)
  const compacted = (await readAll(stage.store)).flatMap(({ ev }) =>
    ev.type === 'history.compacted' ? [ev] : [],
  )
  expect(compacted).toHaveLength(1)
  expect(compacted[0]?.repeated).toHaveLength(1)
  expect(compacted[0]?.summary).toContain('Look twice. '.repeat(200).trim())
  const shown = JSON.stringify(stage.seen.at(-1)?.messages)
  expect(shown.split('Read the diff.')).toHaveLength(2)
  expect(shown).toContain('is loaded already')
})

test('kill after every event of a run that loads skills, restart, same end', async () => {
  const cwd = withSkill(withSkill(), '---\ndescription: Other thing\n---\nThe other.', 'other')
  // Ids are those of the node that made them.
  const textsOf = (request: ModelRequest | undefined) =>
    JSON.stringify(request?.messages).replaceAll(/"(?:message|call)_id":"[^"]*"/g, '')
  const full = await openContext({ cwd, created: SKILLS, turns: LOAD })
  await full.say('/other now')
  await full.runtime.stop()
  const records = await readAll(full.store)
  const end = textsOf(full.seen.at(-1))
  expect(end).toMatch(/The other\.[\s\S]*Read the diff\./)
  const from = records.findIndex(({ ev }) => ev.type === 'input.message') + 1
  for (let cut = from; cut < records.length; cut++) {
    const store = createMemoryStore()
    const events = records.slice(0, cut).map(({ ev }) => ev)
    await seed(store, events)
    const { seen, runtime } = await openContext({ store, cwd, turns: LOAD })
    await runtime.stop()
    const log = (await readAll(store)).map(({ ev }) => ev.type)
    expect([cut, log.filter(type => type === 'skill.loaded').length, log.at(-1)]).toEqual([
      cut,
      1,
      'run.completed',
    ])
    if (seen.length > 0) expect([cut, textsOf(seen.at(-1))]).toEqual([cut, end])
  }
})

test('texts of loaded skills follow a summary: the latest first, whole, as far as they fit', () => {
  const result = (call_id: string, size: number, is_error = false) => ({
    role: 'tool' as const,
    results: [
      {
        type: 'tool_result' as const,
        call_id,
        name: 'Skill',
        output_text: call_id.repeat(size),
        content: [],
        is_error,
      },
    ],
  })
  const history = [
    result('a', 30_000),
    result('b', 30_000),
    result('c', 18_000),
    result('d', 5, true),
    result('e', 5),
  ]
  const idsOf = (window: number | undefined) =>
    skillsToRepeat(history, ['a', 'b', 'c', 'd'], window).map(({ call_id, text }) => [call_id, text.length])
  expect(idsOf(undefined)).toEqual([
    ['c', 18_000],
    ['b', 30_000],
  ])
  expect(idsOf(20_000)).toEqual([['c', 18_000]])
  expect(idsOf(1_000)).toEqual([])
})
