/** Export and import of sessions. */
import { AppError, type ErrorCode, type SessionEvent, type Store } from '@toolwire/core'
import { createMemoryStore, exportSession, importSession } from '@toolwire/store'
import { beforeEach, expect, test } from 'vitest'
import { message, note, TS } from './events.ts'

let store: Store
beforeEach(() => {
  store = createMemoryStore()
})

const refusal = (code: ErrorCode) => (error: unknown) => AppError.is(error) && error.code === code

async function exported(from: Store, id: string): Promise<string[]> {
  return Array.fromAsync(exportSession(from, id))
}

async function fill(): Promise<void> {
  const said: SessionEvent = {
    type: 'input.message',
    ts: TS,
    message_id: 'm',
    role: 'user',
    content: [{ type: 'text', text: '沈阳天气' }],
  }
  await store.append([
    {
      session: 'a',
      create: true,
      events: [said, ...message('msg_1', 1200), note({ nested: ['\u2028', '🦊'] })],
      state: 'paused',
      index: { title: 'Weather', labels: { owner: 'me' }, wakeAt: 99 },
    },
  ])
}

test('an export starts with a header and has one line for each event', async () => {
  await fill()
  const lines = await exported(store, 'a')
  const head = (await store.list({ limit: 1 })).items[0]?.head
  expect(lines).toHaveLength((head ?? 0) + 1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    format: 'toolwire.session',
    version: 1,
    id: 'a',
    head,
    state: 'paused',
    title: 'Weather',
    labels: { owner: 'me' },
    wakeAt: 99,
  })
  expect(lines.every(line => !line.includes('\n'))).toBe(true)
})

test('an imported session is the exported one: events, seqs, state, title, labels and what it is found by', async () => {
  await fill()
  const lines = await exported(store, 'a')
  const other = createMemoryStore()
  const imported = await importSession(other, lines)
  expect(imported).toEqual({ id: 'a', head: lines.length - 1 })
  expect(await other.read('a', 0, 10_000)).toEqual(await store.read('a', 0, 10_000))
  const [row] = (await other.list({ text: '沈阳 weather quick', limit: 1 })).items
  expect(row).toMatchObject({
    id: 'a',
    state: 'paused',
    title: 'Weather',
    labels: { owner: 'me' },
    wakeAt: 99,
  })
  const again = await exported(other, 'a')
  expect(again.slice(1)).toEqual(lines.slice(1))
})

test('an import may take another id, blank lines and an async source', async () => {
  await fill()
  async function* source(): AsyncGenerator<string> {
    for await (const line of exportSession(store, 'a')) {
      yield line
      yield ''
    }
  }
  const { id, head } = await importSession(store, source(), { id: 'b' })
  expect(id).toBe('b')
  expect(await store.read('b', 0, 10_000)).toHaveLength(head)
})

test('an id that is taken or was deleted is refused', async () => {
  await fill()
  const lines = await exported(store, 'a')
  await expect(importSession(store, lines)).rejects.toSatisfy(refusal('session_exists'))
  await store.remove('a')
  await expect(importSession(store, lines)).rejects.toSatisfy(refusal('session_deleted'))
})

test('an unknown session cannot be exported', async () => {
  await expect(exported(store, 'nobody')).rejects.toSatisfy(refusal('session_not_found'))
})

test('a session that is removed while it is exported does not end like a whole one', async () => {
  await fill()
  const lines = exportSession(store, 'a')
  await lines.next()
  await lines.next()
  await store.remove('a')
  await expect(Array.fromAsync(lines)).rejects.toSatisfy(refusal('session_deleted'))
})

test.each([
  ['nothing', () => []],
  ['no header', (lines: string[]) => lines.slice(1)],
  ['another format', (lines: string[]) => ['{"format":"x"}', ...lines.slice(1)]],
  [
    'a newer version',
    (lines: string[]) => [(lines[0] ?? '').replace('"version":1', '"version":2'), ...lines.slice(1)],
  ],
  [
    'a header without labels',
    (lines: string[]) => [(lines[0] ?? '').replace('labels', 'labelz'), ...lines.slice(1)],
  ],
  ['a lost line', (lines: string[]) => lines.toSpliced(5, 1)],
  ['a lost end', (lines: string[]) => lines.slice(0, -1)],
  ['half a line', (lines: string[]) => [...lines.slice(0, -1), (lines.at(-1) ?? '').slice(0, -3)]],
  [
    'an event of no known type',
    (lines: string[]) => lines.with(3, '{"seq":3,"epoch":0,"ev":{"type":"x","ts":""}}'),
  ],
])('an export with %s is refused and nothing of it is stored', async (_, spoil) => {
  await fill()
  const lines = spoil(await exported(store, 'a'))
  const other = createMemoryStore()
  await expect(importSession(other, lines)).rejects.toSatisfy(refusal('bad_request'))
  expect(await other.stats()).toMatchObject({ sessions: 0, events: 0 })
})
