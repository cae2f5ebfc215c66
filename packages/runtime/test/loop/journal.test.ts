/** The one writer of a session: when a commit is done, and what a release may share with what comes after it. */
import type { Append, SessionEvent, SessionLog, SessionState } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { Journal } from '../../src/loop/journal.ts'
import { opening, SESSION, seed } from './stage.ts'

const note = (name: string): SessionEvent => ({ type: 'note', ts: '', name, value: 1 })

async function open(onAppend: (write: Append, journal: () => Journal) => Promise<void> | void) {
  const store = createMemoryStore()
  await seed(store, opening('go'))
  const [claimed] = await store.claim({ node: 'n', ttlMs: 60_000, max: 1, session: SESSION })
  if (!claimed) throw new Error('not claimed')
  let journal: Journal | undefined
  const log: SessionLog = {
    read: (...args) => store.read(...args),
    claim: request => store.claim(request),
    watch: hint => store.watch(hint),
    list: query => store.list(query),
    async append(writes) {
      if (writes[0] && journal) await onAppend(writes[0], () => journal as Journal)
      return await store.append(writes)
    },
  }
  journal = await Journal.open(log, claimed, new AbortController().signal)
  return { journal, store }
}

test('a commit waits for its own events, however many others keep coming', async () => {
  let appends = 0
  const { journal } = await open((_, mine) => {
    appends += 1
    // Another writer appends during every append; that must not delay the commit.
    if (appends < 200) void mine().emit(note(`later ${appends}`))
  })
  await journal.commit(note('mine'))
  expect(journal.state.notes?.['mine']).toBe(1)
  expect(appends).toBeLessThanOrEqual(2)
  await journal.commit()
})

test('events sent while the session is being released have their own numbers and wait for the result', async () => {
  const order: string[] = []
  const { journal, store } = await open(async (write, mine) => {
    const release = write.releaseIfHead !== undefined
    order.push(`${release ? 'release' : 'write'} ${write.as?.w}`)
    if (!release) return
    // An input slips in, so that the release fails; meanwhile a call that still runs speaks.
    await store.append([{ session: SESSION, events: [note('input')] }])
    void mine().emit(note('spoken'))
    for (let i = 0; i < 20; i++) await Promise.resolve()
    order.push('answered')
  })
  await journal.commit(note('first'))
  expect(await journal.release({ state: 'idle' })).toBe(false)
  expect(order).toEqual(['write 1', 'release 2', 'answered', 'write 2'])
  expect(Object.keys(journal.state.notes ?? {})).toEqual(['first', 'input', 'spoken'])
})

test('a session whose input was read and not processed is kept', async () => {
  const { journal, store } = await open(() => {})
  await store.append([{ session: SESSION, events: [note('input')] }])
  await journal.catchUp()
  const isIdle = (state: SessionState): boolean => state.notes?.['input'] === undefined
  expect(await journal.release({ state: 'idle' }, isIdle)).toBe(false)
  await journal.commit(note('processed'))
  expect(await journal.release({ state: 'idle' }, () => true)).toBe(true)
})

test('previews after the release are dropped, and a fact is rejected', async () => {
  const { journal, store } = await open(() => {})
  expect(await journal.release({ state: 'idle' })).toBe(true)
  const before = (await store.read(SESSION, 0, 100)).length
  void journal.emit(note('late'))
  await expect(journal.commit(note('fact'))).rejects.toThrow(/given up/)
  expect(await store.read(SESSION, 0, 100)).toHaveLength(before)
})

test.for([
  { outcome: 'fails', hasInput: true },
  { outcome: 'succeeds', hasInput: false },
])('a commit during a release that $outcome leaves the event loop free and ends', async ({ hasInput }) => {
  const commits: Promise<void>[] = []
  const { journal, store } = await open(async (write, mine) => {
    if (write.releaseIfHead === undefined) return
    await (hasInput && store.append([{ session: SESSION, events: [note('input')] }]))
    commits.push(mine().commit(note('during')))
    // A real store answers from another turn of the event loop.
    await new Promise(setImmediate)
  })
  expect(await journal.release({ state: 'idle' })).toBe(!hasInput)
  const [committed] = await Promise.allSettled(commits)
  expect(committed?.status).toBe(hasInput ? 'fulfilled' : 'rejected')
  const stored = (await store.read(SESSION, 0, 100)).map(({ ev }) => (ev.type === 'note' ? ev.name : ''))
  expect(stored.includes('during')).toBe(hasInput)
})

test('the end of a block and the end of its message, a few promises later, share an append', async () => {
  const appends: (readonly string[])[] = []
  const { journal } = await open(({ events }) => {
    appends.push(events.map(event => ('name' in event ? String(event.name) : event.type)))
  })
  void journal.emit(note('end of the block'))
  for (let i = 0; i < 20; i++) await Promise.resolve()
  await journal.commit(note('end of the message'))
  expect(appends).toEqual([['end of the block', 'end of the message']])
})
