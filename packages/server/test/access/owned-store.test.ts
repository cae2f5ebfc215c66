import type { SessionEvent } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { expect, it } from 'vitest'
import { createOwnedStore } from '../../src/access/owned-store.ts'
import { LOCAL_OPERATOR, type Principal } from '../../src/access/principal.ts'

const created: SessionEvent = {
  type: 'session.created',
  ts: '2026-01-01T00:00:00.000Z',
  cwd: '/',
  model: 'demo',
  tools: [],
  permission_mode: 'default',
}

const principal = (owner: string): Principal => ({
  ...LOCAL_OPERATOR,
  owner,
  key_id: `key-${owner}`,
  unbounded: false,
})

async function withTwo() {
  const store = createMemoryStore()
  let who = principal('alpha')
  const owned = createOwnedStore(store, () => who)
  await owned.append([{ session: 's', create: true, events: [created] }])
  function become(next: Principal): void {
    who = next
  }
  return { store, owned, become }
}

it('marks a new session with owner and key, whatever the writer says', async () => {
  const { store, owned } = await withTwo()
  const labels = { owner: 'beta', api_key: 'other', model: 'demo' }
  await owned.append([{ session: 't', create: true, events: [created], index: { labels } }])
  const rows = await store.list({ ids: ['t'], limit: 1 })
  expect(rows.items[0]?.labels).toEqual({ owner: 'alpha', api_key: 'key-alpha', model: 'demo' })
})

it('answers writes to a stranger’s session like writes to none, each at its own place', async () => {
  const { store, owned, become } = await withTwo()
  become(principal('beta'))
  const note = { type: 'note', ts: created.ts, name: 'n', value: 1 } as const
  const answers = await owned.append([
    { session: 's', events: [note] },
    { session: 'mine', create: true, events: [created] },
    { session: 'never', events: [note] },
  ])
  expect(answers).toEqual([{ missing: 'never' }, { head: 1 }, { missing: 'never' }])
  expect(await store.read('s', 0, 10)).toHaveLength(1)
})

it('reads, lists and removes nothing of a stranger', async () => {
  const { store, owned, become } = await withTwo()
  become(principal('beta'))
  expect(await owned.read('s', 0, 10)).toEqual([])
  expect((await owned.list({ limit: 10 })).items).toEqual([])
  expect((await owned.list({ limit: 10, labels: { owner: 'alpha' } })).items).toEqual([])
  expect(await owned.remove('s')).toBe(false)
  expect(await store.read('s', 0, 10)).toHaveLength(1)
})

it('tells the owner alone that a session was deleted', async () => {
  const { owned, become } = await withTwo()
  expect(await owned.remove('s')).toBe(true)
  expect(await owned.append([{ session: 's', events: [] }])).toEqual([{ missing: 'deleted' }])
  become(principal('beta'))
  expect(await owned.append([{ session: 's', events: [] }])).toEqual([{ missing: 'never' }])
})

it('lets a server without keys see everything', async () => {
  const { owned, become } = await withTwo()
  become(LOCAL_OPERATOR)
  expect(await owned.read('s', 0, 10)).toHaveLength(1)
  expect((await owned.list({ limit: 10 })).items).toHaveLength(1)
})

it('a token for some sessions reaches these alone, and one for new sessions those that it made', async () => {
  const { owned, become } = await withTwo()
  const token = (id: string, sessions: readonly string[] | 'new'): Principal => ({
    ...principal('alpha'),
    token: { id, sessions, expires_at: 0 },
  })
  const note = { type: 'note', ts: created.ts, name: 'n', value: 1 } as const
  become(token('t1', 'new'))
  await owned.append([{ session: 'n', create: true, events: [created] }])
  for (const [who, reached] of [
    [token('t1', 'new'), ['n']],
    [token('t2', 'new'), []],
    [token('t3', ['s']), ['s']],
    [token('t4', ['s', 'n', 'other']), ['n', 's']],
    [principal('alpha'), ['n', 's']],
  ] as const) {
    become(who)
    const read: string[] = []
    const written: string[] = []
    for (const session of ['n', 's']) {
      if ((await owned.read(session, 0, 10)).length > 0) read.push(session)
      const [answer] = await owned.append([{ session, events: [note] }])
      if (answer && 'head' in answer) written.push(session)
    }
    const listed = (await owned.list({ limit: 10 })).items.map(({ id }) => id).sort()
    expect([read, written, listed]).toEqual([reached, reached, reached])
  }
  become(token('t3', ['s']))
  expect(await owned.remove('n')).toBe(false)
  await expect(owned.append([{ session: 'x', create: true, events: [created] }])).rejects.toMatchObject({
    code: 'forbidden',
  })
})
