/** How often the end of an answer is written: every append of a fact waits for the disk. */
import type { Store } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { expect, test, vi } from 'vitest'
import { type ScriptedTurn, scriptedModel } from './scripted-model.ts'
import { opening, openStage, playOut, readAll, seed } from './stage.ts'

/** Plays a conversation; returns which events each append of the session's owner held, and the store. */
async function play(turns: readonly ScriptedTurn[]): Promise<{
  readonly store: Store
  readonly appends: readonly (readonly string[])[]
}> {
  const store = createMemoryStore()
  const append = vi.spyOn(store, 'append')
  const stage = openStage(store, scriptedModel(turns))
  await seed(store, opening('go'))
  await playOut(stage)
  const owners = append.mock.calls.flatMap(([writes]) => writes.filter(write => write.as !== undefined))
  return { store, appends: owners.map(({ events }) => events.map(event => event.type)) }
}

test('an answer of words alone shares one append with the end of its run', async () => {
  const { store, appends } = await play([{ text: 'done', calls: [] }])
  expect(appends.filter(types => types.includes('turn.completed'))).toEqual([
    expect.arrayContaining(['turn.completed', 'run.completed']),
  ])
  expect((await readAll(store)).at(-1)?.ev).toMatchObject({
    type: 'run.completed',
    status: 'success',
    result_text: 'done',
    num_turns: 1,
  })
})

test('an answer with calls leaves the run open until they are done', async () => {
  const { store, appends } = await play([
    { calls: [{ name: 'peek', input: { at: '1' } }] },
    { text: 'done', calls: [] },
  ])
  expect(appends.filter(types => types.includes('run.completed'))).toHaveLength(1)
  const types = (await readAll(store)).map(rec => rec.ev.type)
  expect(types.indexOf('tool.completed')).toBeGreaterThan(types.indexOf('turn.completed'))
  expect(types.lastIndexOf('run.completed')).toBe(types.length - 1)
})
