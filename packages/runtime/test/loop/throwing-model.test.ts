/**
 * Models that throw, though they should end with an error: the run fails, the session and the process continue.
 */
import type { Model, ModelPart } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { message, opening, openStage, readAll, SESSION, seed } from './stage.ts'

const begin: readonly ModelPart[] = [
  { type: 'start', provider_message_id: 'm1', model: 'm' },
  { type: 'block-start', index: 0, kind: 'text' },
  { type: 'block-delta', index: 0, text: 'So ' },
]

const streams: readonly (readonly [string, Model['stream']])[] = [
  [
    'before anything',
    () => {
      throw new Error('no such method')
    },
  ],
  [
    'at the first part',
    // biome-ignore lint/correctness/useYield: it never comes to that
    async function* () {
      throw new Error('no such method')
    },
  ],
  [
    'in the middle of a message',
    async function* () {
      yield* begin
      throw new Error('no such method')
    },
  ],
]

test.each(streams)(
  '%s: the run fails with what it said, and the next message is answered',
  async (_, broken) => {
    const store = createMemoryStore()
    let works = false
    const stage = openStage(store, {
      provider: 'm',
      id: 'm',
      async *stream(request, signal) {
        if (!works) return yield* broken(request, signal)
        yield* begin
        yield { type: 'block-end', index: 0 }
        const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
        yield { type: 'end', stop_reason: 'stop', finish: 'stop', usage }
      },
    })
    await seed(store, opening('go'))
    await stage.runtime.start()
    await stage.runtime.settled()
    expect((await readAll(store)).at(-1)?.ev).toMatchObject({
      type: 'run.failed',
      error: { code: 'model_unavailable', message: expect.stringContaining('no such method') },
    })
    works = true
    await store.append([{ session: SESSION, events: [message('again', 'run-2')], state: 'running' }])
    stage.runtime.wake(SESSION)
    await stage.runtime.settled()
    expect((await readAll(store)).at(-1)?.ev).toMatchObject({ type: 'run.completed' })
    expect(stage.errors).toEqual([])
    await stage.runtime.stop()
  },
)
