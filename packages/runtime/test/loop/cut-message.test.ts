/** A message that the output limit cut after a call that somebody was asked about. */
import { createMemoryStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { scriptedModel } from './scripted-model.ts'
import { fold, opening, openStage, readAll, SESSION, seed } from './stage.ts'

test('its question is withdrawn and the run goes on without waiting for an answer', async () => {
  const turns = [{ calls: [{ name: 'poke', input: { at: 'x' } }], finish: 'length' as const }]
  const stage = openStage(createMemoryStore(), scriptedModel(turns))
  await seed(stage.store, opening('go'))
  await stage.runtime.start()
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  await stage.runtime.stop()
  const events = (await readAll(stage.store)).map(rec => rec.ev)
  const asked = events.filter(ev => ev.type === 'tool.approval_requested')
  const resolved = events.filter(ev => ev.type === 'tool.approval_resolved')
  expect([asked.length, resolved.length]).toEqual([1, 1])
  expect(resolved[0]).toMatchObject({ decision: 'cancelled' })
  expect(events.some(ev => ev.type === 'run.paused')).toBe(false)
  expect(events.at(-1)).toMatchObject({ type: 'run.completed' })
  expect(stage.effects.size).toBe(0)
  const results = (await fold(stage.store)).messages.flatMap(said =>
    said.role === 'tool' ? said.results : [],
  )
  expect(results).toMatchObject([{ is_error: true, output_text: expect.stringContaining('output limit') }])
})
