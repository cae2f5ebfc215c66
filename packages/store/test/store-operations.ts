/** Random operations on a store, and what is compared after them: every store must answer them as the memory store does. */
import type { Append, ListQuery, SessionPhase, Store } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import fc from 'fast-check'
import { expect } from 'vitest'
import { delta, note, turnCompleted } from './events.ts'

type Operation =
  | { readonly type: 'append'; readonly writes: readonly Append[] }
  | { readonly type: 'burst'; readonly calls: readonly (readonly Append[])[] }
  | { readonly type: 'stream'; readonly session: string; readonly count: number }
  | { readonly type: 'read'; readonly session: string; readonly after: number; readonly max: number }
  | {
      readonly type: 'claim'
      readonly node: string
      readonly max: number
      readonly session: string | undefined
    }
  | { readonly type: 'list'; readonly query: ListQuery }
  | { readonly type: 'pages'; readonly limit: number }
  | { readonly type: 'remove'; readonly session: string }
  | { readonly type: 'prune'; readonly age: number; readonly dryRun: boolean }
  | { readonly type: 'stats' }
  | { readonly type: 'tick' }
  | { readonly type: 'reopen' }

const session = fc.constantFrom('s1', 's2', 's3', 't1')
const state = fc.constantFrom<SessionPhase>('idle', 'running', 'paused')
const word = fc.constantFrom('weather', 'rain', '沈阳', '天气', '沈阳天气', 'GPT模型', '阳')
const label = fc.constantFrom('x', 'y', '__proto__')
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined })

const event = fc.oneof(
  fc.integer({ min: 0, max: 9 }).map(note),
  fc.tuple(fc.string({ maxLength: 4, unit: 'binary' }), fc.nat(50)).map(([text, ms]) => delta(text, ms, ms)),
  fc.constant(turnCompleted('m')),
)
const index = fc.record(
  {
    title: word,
    text: fc.array(word, { maxLength: 3 }).map(words => words.join(' ')),
    wakeAt: fc.constantFrom(null, 1, 10_000_000),
    labels: fc.dictionary(label, fc.constantFrom('1', '2', null), { maxKeys: 2 }),
  },
  { requiredKeys: [] },
)
const write: fc.Arbitrary<Append> = fc
  .record({
    session,
    events: fc.array(event, { maxLength: 3 }),
    as: optional(fc.record({ epoch: fc.nat(3), w: fc.integer({ min: 1, max: 4 }) })),
    key: optional(fc.constantFrom('k1', 'k2')),
    create: optional(fc.constantFrom(true, true, false)),
    state: optional(state),
    releaseIfHead: optional(fc.nat(4)),
    index: optional(index),
  })
  .map(withoutUndefined)

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant('append'), writes: fc.array(write, { maxLength: 4 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('burst'),
      calls: fc.array(fc.array(write, { maxLength: 2 }), { maxLength: 5 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constant('stream'), session, count: fc.integer({ min: 1, max: 6 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('read'), session, after: fc.nat(12), max: fc.nat(8) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('claim'),
      node: fc.constantFrom('n1', 'n2'),
      max: fc.integer({ min: 1, max: 3 }),
      session: optional(session),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('list'),
      query: fc
        .record({
          limit: fc.constant(10),
          state: optional(state),
          text: optional(fc.array(word, { maxLength: 2 }).map(words => words.join(' '))),
          ids: optional(fc.array(session, { maxLength: 2 })),
          idPrefix: optional(fc.constantFrom('s', 't1', '')),
          labels: optional(fc.dictionary(label, fc.constantFrom('1', '2'), { maxKeys: 2 })),
        })
        .map(withoutUndefined),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('list'),
      query: fc
        .record({
          limit: fc.constantFrom(0, 1, 10),
          ids: session.map(id => [id]),
          labels: optional(fc.dictionary(label, fc.constantFrom('1', '2'), { maxKeys: 1 })),
        })
        .map(withoutUndefined),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('pages'), limit: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('remove'), session }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('prune'), age: fc.nat(5), dryRun: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ type: 'stats' }) },
  { weight: 3, arbitrary: fc.constant({ type: 'tick' }) },
  { weight: 1, arbitrary: fc.constant({ type: 'reopen' }) },
) as fc.Arbitrary<Operation>

function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as never
}

async function apply(store: Store, operation: Operation, now: number): Promise<unknown> {
  switch (operation.type) {
    case 'append':
      return store.append(operation.writes)
    case 'burst':
      return Promise.all(operation.calls.map(writes => store.append(writes)))
    case 'stream':
      return stream(store, operation.session, operation.count)
    case 'read':
      return store.read(operation.session, operation.after, operation.max)
    case 'claim':
      return store.claim(withoutUndefined({ ...operation, ttlMs: 0 }))
    case 'list':
      return store.list(operation.query)
    case 'pages':
      return allPages(store, operation.limit)
    case 'remove':
      return store.remove(operation.session)
    case 'prune':
      return store.prune({ before: now - operation.age, dryRun: operation.dryRun })
    case 'stats': {
      const { sessions, events, byState } = await store.stats()
      return { sessions, events, byState }
    }
    case 'tick':
    case 'reopen':
      return undefined
  }
}

/** An owner that takes the session over and streams a message; every second append is left unawaited until the end. */
async function stream(store: Store, id: string, count: number): Promise<unknown> {
  const [claimed] = await store.claim({ node: 'streamer', ttlMs: 0, max: 1, session: id })
  if (!claimed) return 'none'
  const { epoch } = claimed
  const calls = Array.from({ length: count }, (_, i) =>
    store.append([{ session: id, as: { epoch, w: i + 1 }, events: [delta(`word ${i} `, i * 7, i)] }]),
  )
  const answers = await Promise.all(calls)
  const end: Append = {
    session: id,
    as: { epoch, w: count + 1 },
    events: count % 2 === 0 ? [turnCompleted('m')] : [delta('x', 0)],
  }
  return [claimed, answers, await store.append([end]), await store.read(id, 0, 100)]
}

async function allPages(store: Store, limit: number): Promise<readonly unknown[]> {
  const pages: unknown[] = []
  let after: string | undefined
  do {
    const page = await store.list(withoutUndefined({ limit, after }))
    pages.push(page)
    after = page.next ?? undefined
  } while (after !== undefined)
  return pages
}

/** Ownership does not outlive a process, and a store in memory has no second one: both give it up first. */
async function releaseAll(store: Store): Promise<void> {
  const { items } = await store.list({ limit: 100 })
  const owned = items.filter(row => row.owner !== null)
  await store.append(owned.map(row => ({ session: row.id, events: [], releaseIfHead: row.head })))
}

async function contents(store: Store): Promise<unknown> {
  const { items } = await store.list({ limit: 100 })
  const logs = await Promise.all(items.map(row => store.read(row.id, 0, 10_000)))
  return { items, logs }
}

export interface ModelHarness {
  /** A store on the same data as the one before, which is closed. */
  readonly open: () => Promise<Store>
  /** Frees the data. */
  readonly dispose: () => Promise<void>
}

/** Fails with the shortest sequence of operations that `create` answers in another way than the memory store. */
export async function expectLikeMemory(
  create: (clock: { readonly now: () => number }) => Promise<ModelHarness>,
  numRuns: number,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 60, size: 'max' }), async operations => {
      let now = 1_000_000
      const clock = { now: () => now }
      const model = createMemoryStore(clock)
      const harness = await create(clock)
      let store = await harness.open()
      async function reopen(): Promise<void> {
        await releaseAll(model)
        await releaseAll(store)
        await store.close()
        store = await harness.open()
      }
      try {
        for (const one of operations) {
          if (one.type === 'tick') now += 1
          if (one.type === 'reopen') await reopen()
          const [expected, actual] = [await apply(model, one, now), await apply(store, one, now)]
          expect(actual).toEqual(expected)
        }
        expect(await contents(store)).toEqual(await contents(model))
        await reopen()
        expect(await contents(store)).toEqual(await contents(model))
      } finally {
        await store.close()
        await harness.dispose()
      }
    }),
    { numRuns },
  )
}
