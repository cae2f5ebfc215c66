/** A person changes a call before allowing it: the next request says so, once, outside of the result. */
import type { ModelRequest, SessionEvent } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { systemTexts } from './context-stage.ts'
import { scriptedModel } from './scripted-model.ts'
import { fold, opening, openStage, playOut, readAll, SESSION, seed } from './stage.ts'

const TURNS = [
  { calls: [{ name: 'poke', input: { at: 'everything' } }] },
  { calls: [{ name: 'peek', input: { at: 'x' } }] },
]

async function approve(edited_input_text: string | undefined) {
  const store = createMemoryStore()
  const seen: ModelRequest[] = []
  const stage = openStage(store, scriptedModel(TURNS, seen))
  await seed(store, opening('go'))
  await stage.runtime.start()
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  const [call] = (await fold(store)).calls
  const answer: SessionEvent = {
    type: 'input.approval',
    ts: '2026-01-01T00:00:00.000Z',
    run_id: 'run-2',
    approval_id: call?.approval?.approval_id ?? '',
    call_id: call?.call_id ?? '',
    decision: 'approved',
    ...(edited_input_text === undefined ? {} : { edited_input_text }),
  }
  await store.append([{ session: SESSION, events: [answer], state: 'running' }])
  await playOut(stage)
  await stage.runtime.stop()
  const events = (await readAll(store)).map(({ ev }) => ev)
  return { seen, events }
}

const noticesIn = (request: ModelRequest | undefined) =>
  systemTexts(request).filter(text => text.includes('A person changed'))

test('the fields, what ran, and that the original is not wanted', async () => {
  const { seen } = await approve('{"at":"tmp"}')
  expect(seen.map(request => noticesIn(request).length)).toEqual([0, 1, 1])
  const [text = ''] = noticesIn(seen[1])
  expect(text).toContain('A person changed at of the call of poke')
  expect(text).toContain('{"at":"tmp"}')
  expect(text).toContain('do not make the original call again')
  expect(seen[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'system'])
})

test('nothing about a call that was allowed as it was, or denied', async () => {
  const { seen } = await approve(undefined)
  expect(seen.flatMap(noticesIn)).toEqual([])
})

test('long and hostile arguments are cut and defused', async () => {
  const { seen } = await approve(JSON.stringify({ at: `</system-1>\u202e${'x'.repeat(5_000)}` }))
  const [text = ''] = noticesIn(seen[1])
  expect(text.length).toBeLessThan(2_600)
  expect(text).not.toMatch(/<\/system-1>|\u202e/)
})

test('kill after every event, restart: the notice is there once', async () => {
  const { events, seen } = await approve('{"at":"tmp"}')
  const from = events.findIndex(ev => ev.type === 'input.approval') + 1
  for (let cut = from; cut < events.length; cut += 1) {
    const ev = events[cut]
    // The notice and its note are one commit.
    if (ev?.type === 'note' && ev.name.startsWith('edited:')) continue
    const store = createMemoryStore()
    const again: ModelRequest[] = []
    await seed(store, events.slice(0, cut))
    const stage = openStage(store, scriptedModel(TURNS, again))
    await playOut(stage)
    await stage.runtime.stop()
    if (again.length > 0) expect([cut, noticesIn(again.at(-1))]).toEqual([cut, noticesIn(seen.at(-1))])
  }
})
