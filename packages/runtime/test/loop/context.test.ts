/** The prompt of a session: recorded once, the same bytes in every request, and changes behind the newest message. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { evolve, initial, type SessionEvent, type Store } from '@toolwire/core'
import { createMemoryStore, openPostgresStore, openSqliteStore } from '@toolwire/store'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../store/test/postgres/test-database.ts'
import { contextChanges } from '../../../tools/src/prompt/track-changes.ts'
import { AUTO, changes, contexts, folder, openContext, systemTexts } from './context-stage.ts'
import { promptFor } from './scripted-model.ts'
import { fold, readAll, SESSION, seed } from './stage.ts'

describe('the prompt of a session', () => {
  test('is recorded once, before the first request, in its order', async () => {
    const { store, seen, say } = await openContext({
      created: { ...AUTO, append_system: 'Speak in rhymes.' },
      prompt: { instructions: 'House rules.' },
    })
    await say()
    await say()
    const log = (await readAll(store)).map(({ ev }) => ev.type)
    expect(log.filter(type => type === 'context.set')).toHaveLength(1)
    expect(log.indexOf('context.set')).toBeLessThan(log.indexOf('turn.started'))
    const [context] = await contexts(store)
    expect(context?.parts.map(part => part.key)).toEqual([
      'core',
      'policy',
      'append_system',
      'operator',
      'environment',
    ])
    expect(seen[0]?.system).toBe(context?.parts.map(part => part.text).join('\n\n'))
    expect(seen[1]?.system).toBe(seen[0]?.system)
  })

  test('stays the same bytes over turns, a restart, another node, midnight and an edited file', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'AGENTS.md'), 'Use tabs.')
    const first = await openContext({ cwd, turns: [{ calls: [{ name: 'peek', input: { at: 'x' } }] }] })
    await first.say()
    await first.runtime.stop()
    writeFileSync(join(cwd, 'AGENTS.md'), 'Use spaces.')
    const second = await openContext({ store: first.store, cwd, day: { now: '2026-01-03T12:00:00.000Z' } })
    for (let i = 0; i < 5; i++) await second.say()
    const systems = [...first.seen, ...second.seen].map(request => request.system)
    expect(new Set(systems).size).toBe(1)
    expect(systems[0]).toContain('Use tabs.')
    // Earlier messages are a prefix of later requests.
    const all = [...first.seen, ...second.seen].map(request => JSON.stringify(request.messages).slice(0, -1))
    for (const [i, text] of all.entries()) if (i > 0) expect(text.startsWith(all[i - 1] ?? '')).toBe(true)
    const reported = await changes(first.store)
    expect(reported.map(({ key }) => key)).toEqual(['date', 'project'])
    expect(reported[1]?.text).toMatch(/replace those above[\s\S]*Use spaces\./)
  })

  test('a change of day and mode follows the newest message, says what it replaces, and comes once', async () => {
    const stage = await openContext()
    await stage.say()
    stage.day.now = '2026-01-02T12:00:00.000Z'
    await stage.add({ type: 'session.updated', ts: stage.day.now, permission_mode: 'plan' })
    await stage.say()
    await stage.say()
    expect((await changes(stage.store)).map(({ key }) => key)).toEqual(['date', 'permission_mode'])
    const request = stage.seen[1]
    expect(request?.messages.at(-1)?.role).toBe('system')
    expect(systemTexts(request).join('\n')).toMatch(
      /2026-01-02.*replaces 2026-01-01[\s\S]*plan \(.*replaces bypassPermissions/,
    )
    expect(systemTexts(stage.seen[2])).toHaveLength(2)
    await stage.add({ type: 'session.updated', ts: stage.day.now, permission_mode: 'default' })
    await stage.say()
    expect(systemTexts(stage.seen[3]).at(-1)).toContain('Plan mode has ended')
  })

  test('does not exist for sessions without a context, such as those of the gateway and of older logs', async () => {
    for (const created of [{}, { system: 'Mine.' }]) {
      const { store, seen, say } = await openContext({ created })
      await say()
      expect(await contexts(store)).toEqual([])
      expect(seen[0]?.system).toBe((created as { system?: string }).system)
    }
  })

  test('`system` replaces conduct and policy and leaves the facts', async () => {
    const { seen, say, cwd } = await openContext({ created: { ...AUTO, system: 'You are a pirate.' } })
    await say()
    expect(seen[0]?.system).toMatch(/^You are a pirate\.\n\nEnvironment:/)
    expect(seen[0]?.system).toContain(`working directory: ${cwd}`)
  })

  test('a kill after every event leaves one prompt and the same bytes', async () => {
    const whole = await openContext({ turns: [{ calls: [{ name: 'peek', input: { at: 'x' } }] }] })
    await whole.say()
    const records = await readAll(whole.store)
    for (let cut = 2; cut <= records.length; cut++) {
      const store = createMemoryStore()
      await seed(
        store,
        records.slice(0, cut).map(rec => rec.ev),
      )
      const next = await openContext({
        store,
        cwd: whole.cwd,
        turns: [{ calls: [{ name: 'peek', input: { at: 'x' } }] }],
      })
      next.runtime.wake(SESSION)
      await next.runtime.settled()
      expect(await contexts(store)).toHaveLength(1)
      const state = await fold(store)
      const system = state.context?.parts.map(part => part.text).join('\n\n')
      for (const request of next.seen) expect(request.system).toBe(system)
      expect(state.phase).toBe('idle')
      await next.runtime.stop()
    }
  })
})

const KILL_STORES: Readonly<Record<string, () => Promise<{ store: Store; done: () => Promise<void> }>>> = {
  async sqlite() {
    const dir = folder()
    const store = await openSqliteStore({ dir })
    return { store, done: () => store.close() }
  },
  async postgres() {
    const database = await createTestDatabase()
    const store = await openPostgresStore({ url: database.url })
    return {
      store,
      async done() {
        await store.close()
        await database.drop()
      },
    }
  },
}

describe.each(Object.entries(KILL_STORES))('on %s', (_, openStore) => {
  test('a kill after every event, also of changes and a new generation, leaves the same prompt', async () => {
    const day = { now: '2026-01-01T12:00:00.000Z' }
    const whole = await openContext({ day })
    await whole.say()
    day.now = '2026-01-02T12:00:00.000Z'
    await whole.say()
    await whole.add({ type: 'session.updated', ts: day.now, refresh_context: true })
    await whole.say()
    const records = await readAll(whole.store)
    const last = await fold(whole.store)
    expect(last.context?.generation).toBe(2)
    const interesting = records.flatMap(({ ev, seq }) =>
      ev.type.startsWith('context.') || ev.type === 'session.updated' ? [seq - 1, seq] : [],
    )
    for (const cut of new Set(interesting)) {
      const { store, done } = await openStore()
      await seed(
        store,
        records.slice(0, cut).map(rec => rec.ev),
      )
      const next = await openContext({ store, cwd: whole.cwd, day })
      await next.say()
      const state = await fold(store)
      const recorded = (await contexts(store)).map(one => one.generation)
      expect(recorded).toEqual(recorded.map((_generation, at) => at + 1))
      expect(next.seen.at(-1)?.system).toBe(state.context?.parts.map(part => part.text).join('\n\n'))
      expect(state.context?.is_stale).toBeUndefined()
      await next.runtime.stop()
      await done()
    }
  })
})

describe('a new generation', () => {
  test('is recorded at the next request after a refresh, with the files as they are then', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'AGENTS.md'), 'Use tabs.')
    const { store, seen, say, add } = await openContext({ cwd })
    await say()
    writeFileSync(join(cwd, 'AGENTS.md'), 'Use spaces.')
    await add({ type: 'session.updated', ts: '2026-01-01T12:00:00.000Z', refresh_context: true })
    await say()
    await say()
    expect((await contexts(store)).map(one => one.generation)).toEqual([1, 2])
    expect(await changes(store)).toEqual([])
    expect(seen[1]?.system).toContain('Use spaces.')
    expect(seen[2]?.system).toBe(seen[1]?.system)
  })

  test('follows a compaction', () => {
    const context: SessionEvent = { type: 'context.set', ts: '', generation: 1, parts: [], facts: {} }
    const compacted: SessionEvent = { type: 'history.compacted', ts: '', replaced: 0, shortened: [] }
    const state = [context, compacted].reduce(
      (before, ev, at) => evolve(before, { seq: at + 1, epoch: 0, ev }),
      initial(),
    )
    expect(state.context?.is_stale).toBe(true)
    const again = evolve(state, { seq: 3, epoch: 0, ev: { ...context, generation: 2 } })
    expect(again.context?.is_stale).toBeUndefined()
  })
})

test('after twenty changes in one run the rest is not reported, and the last notice says so', async () => {
  const day = { now: '2026-01-01T12:00:00.000Z' }
  const stage = await openContext({ day })
  await stage.say()
  const session = await fold(stage.store)
  const context = session.context ? { ...session.context, changes: { run_id: '', count: 19 } } : undefined
  if (!context) throw new Error('no context')
  const [change, ...more] = contextChanges(
    { ...session, context, permission_mode: 'plan' },
    new Date('2027-01-01'),
  )
  expect(more).toEqual([])
  expect(change?.text).toContain('not reported in this run')
  const frozen = { ...context, changes: { run_id: '', count: 20 } }
  expect(contextChanges({ ...session, context: frozen }, new Date('2027-01-01'))).toEqual([])
})

describe('a subagent', () => {
  test('gets its own words, the project and the environment, and no rule of the session', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'AGENTS.md'), 'Use tabs.')
    const task = promptFor([{ text: 'done', calls: [] }])
    const { seen, say } = await openContext({
      cwd,
      turns: [{ calls: [{ name: 'Agent', input: { prompt: task } }] }],
    })
    await say()
    const system = seen[1]?.system ?? ''
    expect(system).toMatch(/^You carry out one task for another agent/)
    expect(system).toContain('Use tabs.')
    expect(system).toContain(`working directory: ${cwd}`)
    expect(system).not.toContain('Make calls that do not depend on each other')
  })
})
