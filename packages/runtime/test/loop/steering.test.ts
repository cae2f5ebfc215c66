/** Messages that meet a run: delivered once, between a result and the next request, whatever happens around them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventOf, ModelRequest, Rec, SessionEvent, Store } from '@toolwire/core'
import { createMemoryStore, openSqliteStore } from '@toolwire/store'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkAgreement } from '../../../core/test/facts/agreement.ts'
import { checkLog, checkPaired, fromStart, type Opened, resumesAt, script } from './crash-checks.ts'
import { type ScriptedTurn, scriptedModel } from './scripted-model.ts'
import { essence, fold, message, opening, openStage, playOut, readAll, SESSION, seed } from './stage.ts'

const STEER = 'and mind the tests'
const TS = '2026-01-01T00:00:00.000Z'
const base = (text: string, run_id: string) => message(text, run_id) as EventOf<'input.message'>
const steer: SessionEvent = { ...base(STEER, 'run-s'), when_running: 'steer', if_paused: 'queue' }

const stores: Readonly<Record<string, { readonly runs: number; readonly open: () => Promise<Opened> }>> = {
  memory: { runs: 12, open: async () => ({ store: createMemoryStore(), done: async () => {} }) },
  sqlite: {
    runs: 1,
    async open() {
      const dir = mkdtempSync(join(tmpdir(), 'toolwire-steering-'))
      const store = await openSqliteStore({ dir })
      const done = async (): Promise<void> => {
        await store.close()
        rmSync(dir, { recursive: true, force: true })
      }
      return { store, done }
    },
  },
}

const append = async (store: Store, ...events: SessionEvent[]): Promise<void> => {
  await store.append([{ session: SESSION, events, state: 'running' }])
}

const textsOf = (request: ModelRequest): readonly string[] =>
  request.messages.flatMap(m =>
    m.role === 'user' ? m.content.flatMap(part => (part.type === 'text' ? [part.text] : [])) : [],
  )

/** The message has one end, and each request holds it at most once, the last one exactly once. */
function checkDelivered(records: readonly Rec[], requests: readonly ModelRequest[]): void {
  checkLog(records)
  checkAgreement(records)
  const ends = records.filter(
    ({ ev }) =>
      (ev.type === 'input.delivered' && ev.message_id === 'in_run-s' && ev.run_id !== 'run-s') ||
      (ev.type === 'run.started' && ev.run_id === 'run-s' && ev.resumes_run_id === undefined),
  )
  expect(ends.map(({ ev }) => ev.type)).toHaveLength(1)
  const counts = requests.map(request => textsOf(request).filter(text => text === STEER).length)
  expect(counts.every(count => count <= 1)).toBe(true)
  expect(counts.at(-1)).toBe(1)
  for (const request of requests) checkPaired(request)
}

/** A store that appends the message right behind the n-th event of the run; `send` appends it unless it has. */
function steeringStore(store: Store, at: number, wake: () => void) {
  let isSent = false
  async function send(): Promise<void> {
    if (isSent) return
    isSent = true
    await append(store, steer)
    wake()
  }
  const steering: Store = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name !== 'append') return value.bind(target)
      return async (...args: Parameters<Store['append']>) => {
        const results = await store.append(...args)
        const head = results.reduce((max, one) => ('head' in one ? Math.max(max, one.head) : max), 0)
        if (head >= at) await send()
        return results
      }
    },
  })
  return { steering, send }
}

for (const [name, { runs, open }] of Object.entries(stores))
  describe(name, () => {
    test('a message that steers after any event of a running run is delivered once', async () => {
      await fc.assert(
        fc.asyncProperty(script, async turns => {
          const full = await fromStart(open, turns)
          for (let at = 2; at <= full.records.length; at += 1) {
            const { store, done } = await open()
            const requests: ModelRequest[] = []
            const { steering, send } = steeringStore(store, at, () => stage.runtime.wake(SESSION))
            const stage = openStage(steering, scriptedModel(turns, requests))
            await seed(store, opening('go'))
            await playOut(stage)
            // Previews that were merged may leave fewer events than the first run had.
            await send()
            await playOut(stage)
            await stage.runtime.stop()
            checkDelivered(await readAll(store), requests)
            await done()
          }
        }),
        { numRuns: runs },
      )
    })

    test('a message that steers after a kill at any event is delivered once', async () => {
      await fc.assert(
        fc.asyncProperty(script, async turns => {
          const full = await fromStart(open, turns)
          for (let cut = 2; cut <= full.records.length; cut += 1) {
            const { store, done } = await open()
            const requests: ModelRequest[] = []
            const events = full.records.slice(0, cut).map(rec => rec.ev)
            await seed(store, [...events, steer])
            const stage = openStage(store, scriptedModel(turns, requests))
            await playOut(stage)
            await stage.runtime.stop()
            checkDelivered(await readAll(store), requests)
            await done()
          }
        }),
        { numRuns: runs },
      )
    })

    test('kill after every event of a steered run, restart, same end', async () => {
      await fc.assert(
        fc.asyncProperty(script, async turns => {
          const full = await steeredRun(open, turns)
          const from = full.records.findIndex(
            ({ ev }) => ev.type === 'input.message' && ev.run_id === 'run-s',
          )
          for (let cut = from + 1; cut < full.records.length; cut += 1)
            await resumesAt(open, turns, full, { cut })
        }),
        { numRuns: runs },
      )
    })
  })

/** A run that is steered behind its first call. */
async function steeredRun(open: () => Promise<Opened>, turns: readonly ScriptedTurn[]) {
  const { store, done } = await open()
  await seed(store, [...opening('go'), steer])
  const stage = openStage(store, scriptedModel(turns))
  const state = await playOut(stage)
  const records = await readAll(store)
  await stage.runtime.stop()
  await done()
  return { records, end: essence(state) }
}

/** Plays `events` out with a model of one plain answer for each message. */
async function played(events: readonly SessionEvent[], turns: readonly ScriptedTurn[] = []) {
  const store = createMemoryStore()
  const requests: ModelRequest[] = []
  await seed(store, events)
  const stage = openStage(store, scriptedModel(turns, requests))
  await playOut(stage)
  await stage.runtime.stop()
  const log = await readAll(store)
  checkAgreement(log)
  return { store, log, requests, types: log.map(({ ev }) => ev.type), state: await fold(store) }
}

/** Plays `events` out; the message that steers comes right behind event `at`. */
async function steered(events: readonly SessionEvent[], turns: readonly ScriptedTurn[], at: number) {
  const store = createMemoryStore()
  const requests: ModelRequest[] = []
  const { steering } = steeringStore(store, at, () => stage.runtime.wake(SESSION))
  const stage = openStage(steering, scriptedModel(turns, requests))
  await seed(store, events)
  await playOut(stage)
  await stage.runtime.stop()
  return { store, requests }
}

const CALL: readonly ScriptedTurn[] = [{ calls: [{ name: 'peek', input: { at: 'x' } }] }]

test('messages that steer come as separate user messages, in order, behind the results', async () => {
  const early: SessionEvent = { ...base('and the docs', 'run-t'), when_running: 'steer' }
  const { store, requests } = await steered([...opening('go'), early], CALL, 8)
  const roles = requests.slice(0, 2).map(({ messages }) => messages.map(m => m.role))
  expect(roles).toEqual([
    ['user', 'user'],
    ['user', 'user', 'assistant', 'tool', 'user'],
  ])
  const types = (await readAll(store)).map(({ ev }) => ev.type)
  expect(types.filter(type => type === 'run.completed')).toHaveLength(1)
  expect(types.filter(type => type === 'input.delivered')).toHaveLength(2)
})

test('a queued message has its own run, and its delivery is recorded when it waited', async () => {
  const { log } = await played([...opening('go'), base('next', 'run-q')])
  const delivered = log.flatMap(({ ev }) => (ev.type === 'input.delivered' ? [ev] : []))
  expect(delivered).toMatchObject([{ message_id: 'in_run-q', run_id: 'run-q', turn: 1 }])
})

test('a run that may make no further request has nothing delivered: the message starts its own run', async () => {
  const [created, first] = opening('go') as [SessionEvent, EventOf<'input.message'>]
  const { store, requests } = await steered([created, { ...first, max_turns: 1 }], [], 6)
  const ends = (await readAll(store)).flatMap(({ ev }) => (ev.type === 'run.completed' ? [ev.run_id] : []))
  expect(ends).toEqual(['run-1', 'run-s'])
  expect(requests).toHaveLength(2)
})

const cancel = (extra: object = {}): SessionEvent => ({
  type: 'input.cancel',
  ts: TS,
  run_id: 'run-c',
  reason: 'stop',
  by: 'client',
  ...extra,
})
/** A run that is open at its first call. */
const open = async (): Promise<readonly SessionEvent[]> => {
  const { log } = await played(opening('go'), CALL)
  const at = log.findIndex(({ ev }) => ev.type === 'tool.started')
  return log.slice(0, at + 1).map(rec => rec.ev)
}

test('an interrupting message ends the run in the same write and comes before all that wait', async () => {
  const urgent: SessionEvent = { ...base('stop, do this', 'run-i'), when_running: 'interrupt' }
  const interrupt = cancel({ reason: 'interrupted', by_message: 'in_run-i' })
  const { log, requests } = await played([...(await open()), base('later', 'run-q'), interrupt, urgent])
  const ended = log.flatMap(({ ev }) => (ev.type === 'run.cancelled' ? [ev] : []))
  expect(ended).toMatchObject([{ reason: 'interrupted', by_message: 'in_run-i' }])
  expect(ended[0]?.queue_held).toBeUndefined()
  const starts = log.flatMap(({ ev }) => (ev.type === 'run.started' ? [ev.run_id] : []))
  expect(starts).toEqual([expect.any(String), 'run-i', 'run-q'])
  for (const request of requests) checkPaired(request)
})

test('an interrupt that meets no run cancels nothing', async () => {
  const { types, state } = await played([
    ...opening('go').slice(0, 1),
    cancel({ by_message: 'in_run-i' }),
    { ...base('now', 'run-i'), when_running: 'interrupt' },
  ])
  expect(types).not.toContain('run.cancelled')
  expect(state.phase).toBe('idle')
})

describe('messages that wait behind a run', () => {
  test('are held by its cancel until the next message, which comes after them', async () => {
    const { log, store, state } = await played([...(await open()), base('later', 'run-q'), cancel()])
    expect(log.at(-1)?.ev).toMatchObject({ type: 'run.cancelled', queue_held: ['in_run-q'] })
    expect(state.queue).toHaveLength(1)
    await append(store, base('continue', 'run-n'))
    const stage = openStage(store, scriptedModel([]))
    await playOut(stage)
    await stage.runtime.stop()
    const starts = (await readAll(store)).flatMap(({ ev }) => (ev.type === 'run.started' ? [ev.run_id] : []))
    expect(starts.slice(1)).toEqual(['run-q', 'run-n'])
  })

  test('are released by a change, and never run once withdrawn', async () => {
    const waits = [base('one', 'run-a'), base('two', 'run-b'), base('three', 'run-c2')]
    const { log } = await played([
      ...(await open()),
      ...waits,
      cancel(),
      { type: 'input.withdrawn', ts: TS, run_id: 'run-a', message_id: 'in_run-a', by: 'client' },
    ])
    expect(log.at(-1)?.ev).toMatchObject({ queue_held: ['in_run-b', 'in_run-c2'] })
    const after = await played([
      ...log.map(rec => rec.ev),
      { type: 'input.changed', ts: TS, message_id: 'in_run-c2', revision: 1, held: false },
    ])
    const starts = after.log.flatMap(({ ev }) => (ev.type === 'run.started' ? [ev.run_id] : []))
    expect(starts.slice(1)).toEqual(['run-c2'])
  })

  test('are not held by a crash', async () => {
    const { log } = await played([...(await open()), base('later', 'run-q')])
    expect(log.filter(({ ev }) => ev.type === 'run.completed')).toHaveLength(2)
  })
})

test('a changed message reaches the model with its latest content, at its new position', async () => {
  const { requests } = await played([
    ...(await open()),
    base('first', 'run-a'),
    base('second', 'run-b'),
    {
      type: 'input.changed',
      ts: TS,
      message_id: 'in_run-b',
      revision: 1,
      content: [{ type: 'text', text: 'second, edited' }],
      place: 0,
    },
  ])
  expect(textsOf(requests.at(-1) as ModelRequest)).toEqual(['go', 'second, edited', 'first'])
})

test('a start that meets the withdrawal of its message asks no model', async () => {
  const started: SessionEvent = {
    type: 'run.started',
    ts: TS,
    run_id: 'run-1',
    conversation_id: 'run-1',
    trigger: 'message',
    client_tools: [],
    model: 'm',
  }
  const { requests, log } = await played([
    ...opening('go'),
    { type: 'input.withdrawn', ts: TS, run_id: 'run-1', message_id: 'in_run-1', by: 'client' },
    started,
  ])
  expect(requests).toEqual([])
  expect(log.at(-1)?.ev).toMatchObject({ type: 'run.cancelled', reason: 'the message was withdrawn' })
})

test('a message that steers leaves an approval open, and is delivered after the answer', async () => {
  const quiz: readonly ScriptedTurn[] = [{ calls: [{ name: 'quiz', input: { at: 'x' } }] }]
  const store = createMemoryStore()
  const requests: ModelRequest[] = []
  await seed(store, opening('go'))
  const stage = openStage(store, scriptedModel(quiz, requests))
  await stage.runtime.start()
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  expect((await fold(store)).phase).toBe('paused')
  await append(store, steer)
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  expect((await fold(store)).phase).toBe('paused')
  await playOut(stage)
  await stage.runtime.stop()
  checkDelivered(await readAll(store), requests)
})
