/** A session that ends the process again and again is failed; those beside it are not. */
import type { EventOf, Model, Rec, SessionEvent, Store } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { createToolSystem } from '@toolwire/tools'
import { expect, test } from 'vitest'
import { createRuntime, type Runtime } from '../../src/runtime.ts'
import { scriptedModel } from './scripted-model.ts'
import { message, opening, testTools } from './stage.ts'

const SESSIONS = { poison: 'poison', innocent: 'innocent', other: 'other' } as const
let processes = 0

interface Life {
  readonly runtime: Runtime
  /** Resolves when the model was asked for the session whose first message is this. */
  readonly asked: (text: string) => Promise<void>
  readonly errors: unknown[]
}

/** One process on the store. A model that never answers marks the moment at which the process is killed. */
function live(store: Store, answers: (text: string) => boolean, watchMs = 300): Life {
  const asked = new Map<string, PromiseWithResolvers<void>>()
  const of = (text: string): PromiseWithResolvers<void> => {
    const known = asked.get(text) ?? Promise.withResolvers<void>()
    asked.set(text, known)
    return known
  }
  const script = scriptedModel([{ calls: [{ name: 'peek', input: { at: 'x' } }] }])
  const model: Model = {
    ...script,
    async *stream(request, signal) {
      const first = request.messages.find(m => m.role === 'user')?.content[0]
      const text = first?.type === 'text' ? first.text : ''
      of(text).resolve()
      if (answers(text)) yield* script.stream(request, signal)
      else await new Promise(resolve => signal.addEventListener('abort', resolve))
    },
  }
  const errors: unknown[] = []
  const node = `process-${++processes}`
  let n = 0
  const runtime = createRuntime({
    log: store,
    models: () => model,
    tools: createToolSystem({ tools: testTools(new Map()) }),
    ids: { uuid: () => `run-${node}-${++n}`, prefixed: prefix => `${prefix}${node}_${++n}` },
    clock: { now: () => new Date('2026-01-01T00:00:00.000Z') },
    node,
    toolNames: [],
    maxTurns: 20,
    // A killed process claims nothing.
    leaseMs: 3_600_000,
    watchMs,
    onError: error => errors.push(error),
  })
  return { runtime, asked: text => of(text).promise, errors }
}

async function create(store: Store, session: string): Promise<void> {
  await store.append([
    { session, create: true, events: opening(session, `run-${session}`), state: 'running' },
  ])
}

const read = (store: Store, session: string): Promise<readonly Rec[]> => store.read(session, 0, 10_000)
const failureOf = async (store: Store, session: string): Promise<EventOf<'run.failed'> | undefined> =>
  (await read(store, session)).map(rec => rec.ev).find(ev => ev.type === 'run.failed')
const ends = async (store: Store, session: string): Promise<readonly string[]> =>
  (await read(store, session)).map(rec => rec.ev.type).filter(type => /^run\.(completed|failed)$/.test(type))

/** Starts a process that is killed once the model was asked for the session. */
async function killWhenAsked(store: Store, session: string): Promise<void> {
  const life = live(store, () => false)
  await life.runtime.start()
  await life.asked(session)
  expect(life.errors).toEqual([])
}

test('a run that ended two processes that resumed it at the same point is failed, and the session is usable', async () => {
  const store = createMemoryStore()
  await create(store, SESSIONS.poison)
  for (let crash = 0; crash < 3; crash += 1) {
    await killWhenAsked(store, SESSIONS.poison)
    expect(await failureOf(store, SESSIONS.poison), `after ${crash + 1} crashes`).toBeUndefined()
  }
  const last = live(store, () => true)
  await last.runtime.start()
  await last.runtime.settled()
  expect((await failureOf(store, SESSIONS.poison))?.error).toMatchObject({
    code: 'run_crashed',
    retryable: false,
  })
  expect(await ends(store, SESSIONS.poison)).toEqual(['run.failed'])
  const again: SessionEvent = message('hello', 'run-again')
  await store.append([{ session: SESSIONS.poison, events: [again], state: 'running' }])
  last.runtime.wake(SESSIONS.poison)
  await last.runtime.settled()
  expect(await ends(store, SESSIONS.poison)).toEqual(['run.failed', 'run.completed'])
  await last.runtime.stop()
})

test('a run whose process was killed twice comes to its end', async () => {
  const store = createMemoryStore()
  await create(store, SESSIONS.innocent)
  await killWhenAsked(store, SESSIONS.innocent)
  await killWhenAsked(store, SESSIONS.innocent)
  const last = live(store, () => true)
  await last.runtime.start()
  await last.runtime.settled()
  expect(await ends(store, SESSIONS.innocent)).toEqual(['run.completed'])
  await last.runtime.stop()
})

test('runs that wait for their model beside the one that ends the process are not failed with it', async () => {
  const store = createMemoryStore()
  for (const session of Object.values(SESSIONS)) await create(store, session)
  const isFailed = async (): Promise<boolean> => (await failureOf(store, SESSIONS.poison)) !== undefined
  let life = live(store, () => false)
  // Each process is killed by the poison alone; none is killed once that has failed.
  for (let crash = 0; !(await isFailed()); crash += 1) {
    expect(crash, 'the poison is never failed').toBeLessThan(10)
    life = live(store, () => false)
    await life.runtime.start()
    const poisoned = life.asked(SESSIONS.poison).then(() => true)
    while (!(await Promise.race([poisoned, pause(5)])) && !(await isFailed()));
  }
  expect((await failureOf(store, SESSIONS.poison))?.error.code).toBe('run_crashed')
  await life.runtime.stop()
  const last = live(store, () => true)
  await last.runtime.start()
  await last.runtime.settled()
  expect(await ends(store, SESSIONS.innocent)).toEqual(['run.completed'])
  expect(await ends(store, SESSIONS.other)).toEqual(['run.completed'])
  await last.runtime.stop()
})

const pause = (ms: number): Promise<false> => new Promise(resolve => setTimeout(resolve, ms, false))

test('a process that is stopped in an orderly way is not counted', async () => {
  const store = createMemoryStore()
  await create(store, SESSIONS.innocent)
  for (let restart = 0; restart < 6; restart += 1) {
    const life = live(store, () => false)
    await life.runtime.start()
    await life.asked(SESSIONS.innocent)
    await life.runtime.stop()
  }
  const last = live(store, () => true)
  await last.runtime.start()
  await last.runtime.settled()
  expect(await ends(store, SESSIONS.innocent)).toEqual(['run.completed'])
  await last.runtime.stop()
})

test('a run that makes progress between two crashes is resumed each time', async () => {
  const store = createMemoryStore()
  await create(store, SESSIONS.innocent)
  for (let crash = 0; crash < 2; crash += 1) await killWhenAsked(store, SESSIONS.innocent)
  // The first turn is answered and its call runs; the process is killed at the second turn.
  let turns = 0
  const half = live(store, () => ++turns === 1)
  await half.runtime.start()
  while (turns < 2) await pause(5)
  await killWhenAsked(store, SESSIONS.innocent)
  const last = live(store, () => true)
  await last.runtime.start()
  await last.runtime.settled()
  expect(await ends(store, SESSIONS.innocent)).toEqual(['run.completed'])
  await last.runtime.stop()
})
