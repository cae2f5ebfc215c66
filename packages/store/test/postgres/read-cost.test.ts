/** What readers cost the database: a node that does not own a session reads each of its rows once, however many follow it. */
import type { Store } from '@toolwire/core'
import { openPostgresStore } from '@toolwire/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Connections, createConnections } from '../../src/postgres/connections.ts'
import { PostgresStore } from '../../src/postgres/postgres-store.ts'
import { appendOne, create, rowOf, values } from '../contract/session-calls.ts'
import { note } from '../events.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

const ROWS = 20
const EVENTS = 50

let database: TestDatabase
let writer: Store
let reader: Store
/** Statements of the reading node on its reading connections, and the rows of the log that they brought. */
let cost: { statements: number; rows: number }
beforeEach(async () => {
  database = await createTestDatabase()
  writer = await openPostgresStore({ url: database.url, listen: false })
  cost = { statements: 0, rows: 0 }
  reader = new PostgresStore({ connections: counted(database.url), now: undefined, listen: false })
})
afterEach(async () => {
  await Promise.all([writer.close(), reader.close()])
  await database.drop()
})

function counted(url: string): Connections {
  const connections = createConnections(url)
  const readers = Object.create(connections.readers, {
    query: {
      value: async (...query: unknown[]): Promise<unknown> => {
        cost.statements += 1
        const answer = (await Reflect.apply(connections.readers.query, connections.readers, query)) as {
          readonly rows: readonly { readonly 1?: unknown }[]
        }
        cost.rows += answer.rows.filter(row => typeof row[1] === 'number').length
        return answer
      },
    },
  }) as Connections['readers']
  return { ...connections, readers }
}

/** A session of `ROWS` rows with `EVENTS` events each. */
async function write(session: string): Promise<void> {
  await create(writer, session, { events: [] })
  for (let row = 0; row < ROWS; row++)
    await appendOne(writer, {
      session,
      events: Array.from({ length: EVENTS }, (_, i) => note(row * EVENTS + i + 1)),
    })
}

const expected = (after: number, max: number): readonly number[] =>
  Array.from({ length: Math.min(max, ROWS * EVENTS - after) }, (_, i) => after + 1 + i)

test('a reader that continues in small steps and reads ahead gets each row from the database once', async () => {
  await write('a')
  for (let after = 0; after + 32 <= ROWS * EVENTS; after += 7)
    expect(values(await reader.read('a', after, 32))).toEqual(expected(after, 32))
  expect(cost.rows).toBe(ROWS)
  expect(cost.statements).toBeLessThanOrEqual(ROWS)
})

test('readers at many places at once share statements and rows', async () => {
  await write('a')
  const places = Array.from({ length: 400 }, (_, i) => (i * 37) % (ROWS * EVENTS))
  const found = await Promise.all(places.map(after => reader.read('a', after, 128)))
  for (const [i, after] of places.entries()) expect(values(found[i] ?? [])).toEqual(expected(after, 128))
  expect(cost).toEqual({ statements: 1, rows: ROWS })
})

test('what is remembered hides nothing that was appended since', async () => {
  await write('a')
  const head = ROWS * EVENTS
  expect(values(await reader.read('a', head - 10, 100))).toEqual(expected(head - 10, 100))
  await appendOne(writer, { session: 'a', events: [note('new')] })
  expect(values(await reader.read('a', head - 2, 100))).toEqual([head - 1, head, 'new'])
})

test('of a session that another node removed nothing is returned, although a part of it is cached', async () => {
  await write('a')
  await reader.read('a', 0, 10)
  await writer.remove('a')
  expect(await reader.read('a', 0, 2000)).toEqual([])
})

test('sessions that are asked for at the same moment are looked up in one statement', async () => {
  const ids = Array.from({ length: 30 }, (_, i) => `s${i}`)
  await writer.append(ids.map(session => ({ session, create: true, events: [note(session)] })))
  const asked = [...ids, ...ids, 'nowhere']
  const rows = await Promise.all(asked.map(id => rowOf(reader, id)))
  expect(rows.map(row => row?.id)).toEqual([...ids, ...ids, undefined])
  expect(cost.statements).toBe(1)
  // A caller during other lookups gets the current state.
  const before = rowOf(reader, 's0')
  await appendOne(writer, { session: 's0', events: [note('more')] })
  expect((await rowOf(reader, 's0'))?.head).toBe(2)
  await before
})
