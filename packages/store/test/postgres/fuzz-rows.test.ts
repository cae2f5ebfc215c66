/** Damaged rows of a log in PostgreSQL: read whole or refused, and never at the cost of another session. */
import { deflateRawSync } from 'node:zlib'
import { AppError, type SessionEvent } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bombed } from '../../../core/test/bombs.ts'
import { fuzzing, mutatedBytes, mutatedJson, mutatedText } from '../../../core/test/mutate.ts'
import { openPostgresStore } from '../../src/index.ts'
import { packEvents } from '../../src/pack.ts'
import type { Connections } from '../../src/postgres/connections.ts'
import { createRecordReader } from '../../src/postgres/record-reader.ts'
import { createTestDatabase } from './test-database.ts'

const TS = '2026-11-16T00:00:00.000Z'
const EVENTS = [
  { type: 'note', ts: TS, name: 'n', value: { a: 1 } },
  { type: 'block.delta', ts: TS, block_id: 'b', offset: 0, text: 'Hel' },
  { type: 'block.delta', ts: TS, block_id: 'b', offset: 3, text: 'lo' },
] as unknown as readonly SessionEvent[]
const HONEST = JSON.stringify(EVENTS)

interface Data {
  readonly packed: boolean
  readonly data: string
}

/** Reads two sessions with one statement; the first has the damaged row, the second an honest one. */
async function readBoth({ packed, data }: Data): Promise<readonly unknown[]> {
  const rows = [
    [0, 1, EVENTS.length, 0, packed, data],
    [1, 1, EVENTS.length, 0, false, HONEST],
  ]
  const connections = {
    readers: { query: async () => ({ rows }) },
    named: () => undefined,
  } as unknown as Connections
  const reader = createRecordReader(connections, work => work())
  const both = await Promise.allSettled(['a', 'b'].map(session => reader.read(session, 0, 100)))
  return both.map(one => (one.status === 'fulfilled' ? one.value : one.reason))
}

async function expectWholeOrRefused(given: Data): Promise<void> {
  const [damaged, honest] = await readBoth(given)
  expect(honest).toEqual(EVENTS.map((ev, i) => ({ seq: i + 1, epoch: 0, ev })))
  if (Array.isArray(damaged)) expect(damaged.map(rec => rec.seq)).toEqual([1, 2, 3])
  else expect(AppError.is(damaged) && damaged.code).toBe('storage_error')
}

const base64 = (bytes: Uint8Array): Data => ({ packed: true, data: Buffer.from(bytes).toString('base64') })
const plain = (data: string): Data => ({ packed: false, data })

describe('a damaged row is read whole or refused', () => {
  test.for<readonly [string, fc.Arbitrary<Data>, number]>([
    ['as text', mutatedText([HONEST]).map(plain), 300],
    ['as other values', mutatedJson([EVENTS]).map(value => plain(JSON.stringify(value) ?? '')), 300],
    ['as packed bytes with bits turned', mutatedBytes([packEvents(EVENTS)]).map(base64), 300],
    [
      'as packed bytes that unpack to something else',
      mutatedJson([JSON.parse(HONEST)]).map(value =>
        base64(Buffer.concat([Buffer.from([1]), deflateRawSync(JSON.stringify(value) ?? 'null')])),
      ),
      300,
    ],
    ['with a bomb in it', bombed([EVENTS]).map(plain), 30],
  ])('%s', async ([, rows, runs]) => {
    await fc.assert(fc.asyncProperty(rows, expectWholeOrRefused), fuzzing(runs))
  })
})

test('a row that the server cannot read as text is the trouble of its session alone', async () => {
  const database = await createTestDatabase()
  const store = await openPostgresStore({ url: database.url })
  try {
    for (const session of ['a', 'b']) await store.append([{ session, create: true, events: EVENTS }])
    await database.query(
      String.raw`update toolwire.chunk set data = '\xff' where session = (select num from toolwire.session where id = 'a')`,
    )
    const other = await openPostgresStore({ url: database.url })
    const both = await Promise.allSettled(['a', 'b'].map(session => other.read(session, 0, 100)))
    await other.close()
    expect(both).toMatchObject([
      { status: 'rejected', reason: { code: 'storage_error' } },
      { status: 'fulfilled', value: [{ seq: 1 }, { seq: 2 }, { seq: 3 }] },
    ])
  } finally {
    await store.close()
    await database.drop()
  }
})
