/** One runner per session: a runner that ends must not take another one's registration with it. */
import type { SessionEvent, SessionLog } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { createToolSystem } from '@toolwire/tools'
import { expect, test } from 'vitest'
import { createRuntime } from '../../src/runtime.ts'
import { scriptedModel } from './scripted-model.ts'
import { opening, readAll, SESSION, seed, testTools } from './stage.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z')
const HOUR = 3_600_000

test('a session claimed by the clock while its last runner is still leaving receives its cancel', async () => {
  let now = START
  let n = 0
  const store = createMemoryStore({ now: () => now })
  const released = Promise.withResolvers<void>()
  const mayLeave = Promise.withResolvers<void>()
  const answering = Promise.withResolvers<void>()
  let releases = 0
  const log: SessionLog = {
    read: (...args) => store.read(...args),
    claim: request => store.claim(request),
    watch: hint => store.watch(hint),
    list: query => store.list(query),
    async append(writes) {
      const answers = await store.append(writes)
      if (writes[0]?.releaseIfHead !== undefined && ++releases === 1) {
        // The session is free now, but its runner has not heard of it: the deadline passes.
        now += 2 * HOUR
        released.resolve()
        await mayLeave.promise
      }
      return answers
    },
  }
  const script = scriptedModel([{ calls: [{ name: 'poke', input: { at: 'x' } }] }])
  let asked = 0
  const runtime = createRuntime({
    log,
    models: () => ({
      ...script,
      async *stream(request, signal) {
        if (++asked === 1) yield* script.stream(request, signal)
        else {
          answering.resolve()
          if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve))
        }
      },
    }),
    tools: createToolSystem({ tools: testTools(new Map()), expiry: { approval_ms: HOUR } }),
    ids: { uuid: () => `run-${++n}`, prefixed: prefix => `${prefix}${++n}` },
    clock: { now: () => new Date(now) },
    node: 'node-race',
    toolNames: [],
    maxTurns: 5,
    leaseMs: 60,
    onError: error => {
      throw error
    },
  })
  await seed(store, opening('go'))
  await runtime.start()
  runtime.wake(SESSION)
  await released.promise
  // The second runner, claimed by the clock, is running; only then the first one ends.
  await answering.promise
  mayLeave.resolve()
  for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
  const cancel: SessionEvent = { type: 'input.cancel', ts: '', run_id: 'c', reason: 'stop', by: 'user' }
  await store.append([{ session: SESSION, events: [cancel], state: 'running' }])
  runtime.wake(SESSION)
  await runtime.settled()
  expect((await readAll(store)).at(-1)?.ev).toMatchObject({ type: 'run.cancelled', reason: 'stop' })
  await runtime.stop()
})
