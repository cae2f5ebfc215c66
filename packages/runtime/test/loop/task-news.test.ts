/** The end of a command in the background reaches the model before its next message, whatever it does. */
import type { Model, ModelRequest, SessionEvent } from '@toolwire/core'
import { applyRecords, emptyView } from '@toolwire/core/view'
import { createMemoryStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { scriptedModel } from './scripted-model.ts'
import { message, opening, openStage, playOut, readAll, SESSION, seed } from './stage.ts'

const ended = (task_id: string): SessionEvent => ({
  type: 'note',
  ts: '2026-01-01T00:00:00.000Z',
  name: `task:${task_id}`,
  value: { task_id, command: 'exit 5', log: '/log', ended: { at: '', code: 5 } },
})

const heard = (request: ModelRequest | undefined): readonly string[] =>
  (request?.messages ?? []).flatMap(said =>
    said.role === 'system' ? said.content.map(part => (part.type === 'text' ? part.text : '')) : [],
  )

/** A model that sees the end of a command while it works with another tool. */
function stageWith(turns: Parameters<typeof scriptedModel>[0]) {
  const store = createMemoryStore()
  const seen: ModelRequest[] = []
  const script = scriptedModel(turns, seen)
  const model: Model = {
    ...script,
    async *stream(request, signal) {
      if (seen.length === 0) await store.append([{ session: SESSION, events: [ended('task_1')] }])
      yield* script.stream(request, signal)
    },
  }
  return { stage: openStage(store, model), store, seen }
}

test('it is delivered before the next message, after the results of any tool, and once', async () => {
  const { stage, store, seen } = stageWith([
    { calls: [{ name: 'peek', input: { at: 'a' } }] },
    { calls: [{ name: 'peek', input: { at: 'b' } }] },
  ])
  await seed(store, opening('go'))
  await playOut(stage)
  await stage.runtime.stop()
  expect(seen.map(heard)).toEqual([
    [],
    ['Background command task_1 has ended with exit code 5: "exit 5" (output: /log)'],
    ['Background command task_1 has ended with exit code 5: "exit 5" (output: /log)'],
  ])
  expect(seen[1]?.messages.map(said => said.role)).toEqual(['user', 'assistant', 'tool', 'system'])
})

test('the end of a command during idleness is delivered with the user’s next message', async () => {
  const store = createMemoryStore()
  const seen: ModelRequest[] = []
  const stage = openStage(store, scriptedModel([], seen))
  await seed(store, opening('go'))
  await playOut(stage)
  await store.append([{ session: SESSION, events: [ended('task_2')] }])
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  expect(seen).toHaveLength(1)
  await store.append([{ session: SESSION, events: [message('and now?', 'run-2')], state: 'running' }])
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  await stage.runtime.stop()
  expect(seen).toHaveLength(2)
  expect(heard(seen[1])).toHaveLength(1)
  expect(seen[1]?.messages.map(said => said.role)).toEqual(['user', 'assistant', 'user', 'system'])
})

test('a screen shows it in the exchange, not as something that waits to be sent', async () => {
  const { stage, store } = stageWith([{ calls: [{ name: 'peek', input: { at: 'a' } }] }])
  await seed(store, opening('go'))
  await playOut(stage)
  await stage.runtime.stop()
  const view = applyRecords(emptyView(), await readAll(store))
  expect(view.queue).toEqual([])
  const roles = view.turns[0]?.messages.map(id => view.messages.get(id)?.role)
  expect(roles).toEqual(['user', 'assistant', 'system', 'assistant'])
})
