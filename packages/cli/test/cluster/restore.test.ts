/**
 * A backup is restored, and clients that have seen more than it holds are notified: on SQLite and PostgreSQL, by
 * every wire, in the client.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@toolwire/client'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '../../../store/test/postgres/test-database.ts'
import { inFolder, type Launched, launch, run } from '../launch.ts'
import { ask, newSession } from './fleet.ts'

// Many programs in a row, on a machine that may be busy.
vi.setConfig({ testTimeout: 400_000 })

async function say(node: Launched, session_id: string, message: string): Promise<void> {
  const response = await fetch(`${node.url}/api/chat/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ session_id, message }),
  })
  expect(await response.text()).toContain('"type":"done"')
}

async function eventsOf(node: Launched, session: string, wire: string, cursor?: string): Promise<string> {
  const response = await fetch(`${node.url}/api/sessions/${session}/events?wire=${wire}`, {
    headers: cursor === undefined ? {} : { 'last-event-id': cursor },
  })
  return await response.text()
}

const lastId = (text: string): string => [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? ''

/** Everything that the two engines have in common; `first` and `second` are flags that name the data before and after. */
async function expectTold(dir: string, first: readonly string[], second: readonly string[]): Promise<void> {
  let server = await launch(dir, ['--port', '0', ...first])
  const session = await newSession(server)
  await say(server, session, 'remember the first word')
  await server.stop()
  const saved = await run(['db', 'backup', '--out', 'saved.jsonl', ...first], dir)
  expect(saved).toMatchObject({ code: 0, stdout: 'wrote 1 sessions to saved.jsonl\n' })

  server = await launch(dir, ['--port', '0', ...first])
  await say(server, session, 'and this is lost')
  const cursors = {
    canonical: lastId(await eventsOf(server, session, 'canonical')),
    chat: lastId(await eventsOf(server, session, 'chat')),
    thread: lastId(await eventsOf(server, session, 'thread')),
  }
  const address = { url: server.url }
  const client = createClient({
    baseUrl: server.url,
    frameMs: 1,
    backoff: { baseMs: 5, maxMs: 50 },
    fetch: (input, init) => fetch(String(input).replace(/^http:\/\/[^/]+/, address.url), init),
  })
  const live = client.session(session)
  const release = live.open()
  await live.until(({ view }) => JSON.stringify([...view.turns]).length > 0 && view.turns.length === 2)
  await server.stop()

  expect(await run(['db', 'restore', 'saved.jsonl', ...second], dir)).toMatchObject({
    code: 0,
    stdout: 'restored 1 sessions\n',
  })
  server = await launch(dir, ['--port', '0', ...second])
  address.url = server.url
  for (const [wire, cursor] of Object.entries(cursors)) {
    const text = await eventsOf(server, session, wire, cursor)
    expect(text).toContain('{"type":"log.reset"')
    expect(text.replace(/(?:event: log\.reset\n)?data: \{"type":"log\.reset".+\n\n/, '')).toBe(
      await eventsOf(server, session, wire),
    )
  }
  const shown = await live.until(({ view }) => view.turns.length === 1)
  expect(JSON.stringify([...shown.view.blocks.values()])).not.toContain('this is lost')

  // The log grows beyond the old cursors: they are still those of another history.
  for (const message of ['another second', 'another third', 'another fourth'])
    await say(server, session, message)
  expect(await eventsOf(server, session, 'canonical', cursors.canonical)).toContain('"type":"log.reset"')
  const grown = await live.until(({ view }) => view.turns.length === 4)
  expect(JSON.stringify([...grown.view.blocks.values()])).not.toContain('this is lost')
  const after = lastId(await eventsOf(server, session, 'canonical'))
  expect(after).toMatch(/~/)
  expect(await eventsOf(server, session, 'canonical', after)).toBe('')
  release()
  client.close()
  await server.stop()
}

test('SQLite: clients of a restored log receive log.reset and show what the log has', async () => {
  await inFolder(dir => expectTold(dir, ['--data', 'before'], ['--data', 'after']))
})

test('PostgreSQL: clients of a restored log receive log.reset and show what the log has', async () => {
  const [before, after] = [await createTestDatabase(), await createTestDatabase()]
  try {
    await inFolder(dir => expectTold(dir, ['--database', before.url], ['--database', after.url]))
  } finally {
    await before.drop()
    await after.drop()
  }
})

test('data that were copied back by other means are marked with one command', async () => {
  await inFolder(async dir => {
    const server = await launch(dir)
    const session = await newSession(server)
    await say(server, session, 'hello')
    const cursor = lastId(await eventsOf(server, session, 'canonical'))
    const locked = await run(['db', 'restored'], dir)
    expect(locked).toMatchObject({ code: 4, stdout: '' })
    await server.stop()
    expect((await run(['db', 'restored'], dir)).code).toBe(0)
    const again = await launch(dir)
    expect(await eventsOf(again, session, 'canonical', cursor)).toContain('"type":"log.reset"')
    expect((await ask<{ readonly head: number }>(again, `/api/sessions/${session}`)).status).toBe(200)
    await again.stop()
  })
})

test('half a backup, a backup over other sessions and a file that exists are refused with one sentence', async () => {
  await inFolder(async dir => {
    const server = await launch(dir)
    await say(server, await newSession(server), 'hello')
    await server.stop()
    await run(['db', 'backup', '--out', 'saved.jsonl'], dir)
    const lines = readFileSync(join(dir, 'saved.jsonl'), 'utf8').trim().split('\n')
    writeFileSync(join(dir, 'half.jsonl'), `${lines.slice(0, -1).join('\n')}\n`)
    const half = await run(['db', 'restore', 'half.jsonl', '--data', 'other'], dir)
    expect(half).toMatchObject({ code: 2, stdout: '' })
    expect(existsSync(join(dir, 'other'))).toBe(false)
    const over = await run(['db', 'restore', 'saved.jsonl'], dir)
    expect(over).toMatchObject({ code: 4, stdout: '' })
    const twice = await run(['db', 'backup', '--out', 'saved.jsonl'], dir)
    expect(twice).toMatchObject({ code: 2, stdout: '' })
    for (const { stderr } of [half, over, twice]) expect(stderr).toMatch(/^toolwire: [^\n]+\n$/)
  })
})
