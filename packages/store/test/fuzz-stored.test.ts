/** Stored rows, exported files and cursors with random wounds: read as they were written, or refused by name. */
import { DatabaseSync } from 'node:sqlite'
import { deflateRawSync } from 'node:zlib'
import { AppError, type SessionEvent } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bombed } from '../../core/test/bombs.ts'
import { fuzzing, mutatedBytes, mutatedJson, mutatedText } from '../../core/test/mutate.ts'
import { createMemoryStore, exportSession, importSession } from '../src/index.ts'
import { decodeListCursor, encodeListCursor } from '../src/list-cursor.ts'
import { packEvents } from '../src/pack.ts'
import { decodeRecent, encodeRecent } from '../src/sqlite/recent.ts'
import { createRecordReader } from '../src/sqlite/record-reader.ts'

const TS = '2026-11-16T00:00:00.000Z'
const EVENTS = [
  {
    type: 'input.message',
    ts: TS,
    run_id: 'r',
    message_id: 'm',
    role: 'user',
    content: [{ type: 'text', text: 'hi' }],
  },
  { type: 'run.started', ts: TS, run_id: 'r' },
  { type: 'block.delta', ts: TS, run_id: 'r', message_id: 'm', index: 0, offset: 0, text: 'Hel' },
  { type: 'block.delta', ts: TS, run_id: 'r', message_id: 'm', index: 0, offset: 3, text: 'lo' },
  { type: 'block.delta', ts: TS, run_id: 'r', message_id: 'm', index: 0, offset: 5, text: '.' },
  { type: 'note', ts: TS, name: 'n', value: { a: 1 } },
] as unknown as readonly SessionEvent[]

/** Reads the rows of one session whose only rows are these. */
function readRow(n: number, data: string | Uint8Array, recent?: string): readonly { readonly seq: number }[] {
  const db = new DatabaseSync(':memory:')
  try {
    db.exec('create table chunk(session int, seq int, n int, epoch int, w int, data)')
    db.prepare('insert into chunk values(1, 1, ?, 0, null, ?)').run(n, data)
    const unsettled = recent === undefined ? [] : decodeRecent(recent).filter(entry => entry.session === 1)
    const query = { num: 1, after: 0, max: 100_000, unsettled }
    return createRecordReader(db).readRows(query).toRecords()
  } finally {
    db.close()
  }
}

/** The records of a damaged row: all that it should hold, one after another, or a refusal. */
function expectWholeOrRefused(n: number, data: string | Uint8Array): void {
  try {
    expect(readRow(n, data).map(rec => rec.seq)).toEqual(Array.from({ length: n }, (_, i) => i + 1))
  } catch (error) {
    if (!AppError.is(error)) throw error
    expect(error.code).toBe('storage_error')
  }
}

describe('a damaged row is read whole or refused', () => {
  test('as JSON text', () => {
    const texts = mutatedText([JSON.stringify(EVENTS)])
    fc.assert(
      fc.property(texts, text => expectWholeOrRefused(EVENTS.length, text)),
      fuzzing(300),
    )
  })

  test('as JSON text with a bomb in it', () => {
    fc.assert(
      fc.property(bombed([EVENTS]), text => {
        expectWholeOrRefused(EVENTS.length, text)
        expectWholeOrRefused(EVENTS.length, Buffer.concat([Buffer.from([1]), deflateRawSync(text)]))
      }),
      fuzzing(30),
    )
  })

  test('as packed bytes with bits turned', () => {
    fc.assert(
      fc.property(mutatedBytes([packEvents(EVENTS)]), bytes => expectWholeOrRefused(EVENTS.length, bytes)),
      fuzzing(300),
    )
  })

  test('as packed bytes that unpack to something else', () => {
    const packed: unknown = JSON.parse(
      '[{"type":"note"},[{"type":"block.delta","ts":"2026-11-16T00:00:00.000Z","offset":0,"text":"a"},"text","ab",[1,1],[5]]]',
    )
    fc.assert(
      fc.property(mutatedJson([packed]), value => {
        const body = deflateRawSync(JSON.stringify(value) ?? 'null')
        expectWholeOrRefused(3, Buffer.concat([Buffer.from([1]), body]))
      }),
      fuzzing(400),
    )
  })

  test('as a row that says more or fewer events than it holds', () => {
    for (const n of [1, EVENTS.length - 1, EVENTS.length + 1]) {
      expect(() => readRow(n, JSON.stringify(EVENTS))).toThrow(AppError)
      expect(() => readRow(n, packEvents(EVENTS))).toThrow(AppError)
    }
  })

  test('among the previews of a flush', () => {
    const json = JSON.stringify([EVENTS[2], EVENTS[3]])
    const row = encodeRecent([
      { session: 1, seq: 7, n: 2, epoch: 0, w: 1, json },
      { session: 2, seq: 1, n: 2, epoch: 0, w: 1, json },
    ])
    fc.assert(
      fc.property(mutatedText([row]), text => {
        decodeRecent(text)
        try {
          const seqs = readRow(EVENTS.length, JSON.stringify(EVENTS), text).map(rec => rec.seq)
          expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
        } catch (error) {
          if (!AppError.is(error)) throw error
          expect(error.code).toBe('storage_error')
        }
      }),
      fuzzing(300),
    )
  })
})

async function exported(): Promise<readonly string[]> {
  const store = createMemoryStore()
  await store.append([
    { session: 'a', create: true, events: EVENTS, index: { title: 'T', labels: { x: 'y' } } },
  ])
  const lines = await Array.fromAsync(exportSession(store, 'a'))
  await store.close()
  return lines
}

/** Imports the lines; what is refused leaves nothing behind. */
async function expectImportedOrRefused(lines: readonly string[]): Promise<void> {
  const store = createMemoryStore()
  try {
    const { id, head } = await importSession(store, lines)
    expect(await store.read(id, 0, 1000)).toHaveLength(head)
  } catch (error) {
    if (!AppError.is(error)) throw error
    expect(error.code).toBe('bad_request')
    expect((await store.list({ limit: 10 })).items).toEqual([])
  } finally {
    await store.close()
  }
}

describe('a damaged export', () => {
  test('is imported whole or refused with its line, wherever its text is damaged', async () => {
    const text = (await exported()).join('\n')
    await fc.assert(
      fc.asyncProperty(mutatedText([text]), async damaged => expectImportedOrRefused(damaged.split('\n'))),
      fuzzing(300),
    )
  })

  test('is imported whole or refused with its line, whatever its values are', async () => {
    const values = (await exported()).map(line => JSON.parse(line) as unknown)
    await fc.assert(
      fc.asyncProperty(mutatedJson([values]), async damaged => {
        const lines = Array.isArray(damaged) ? (damaged as readonly unknown[]) : [damaged]
        await expectImportedOrRefused(lines.map(line => JSON.stringify(line) ?? ''))
      }),
      fuzzing(400),
    )
  })

  test('is imported whole or refused, with a bomb in any of its lines', async () => {
    const values = (await exported()).map(line => JSON.parse(line) as unknown)
    const bombs = fc
      .nat({ max: values.length - 1 })
      .chain(at =>
        bombed([values[at]]).map(text => values.map((value, n) => (n === at ? text : JSON.stringify(value)))),
      )
    await fc.assert(fc.asyncProperty(bombs, expectImportedOrRefused), fuzzing(40))
  })

  test.for(['version', 'seq'])('is refused when its %s is an object that has no text', async field => {
    const [header = '', first = '', ...rest] = await exported()
    const trap = { toString: 1, valueOf: 1 }
    const lines =
      field === 'version'
        ? [JSON.stringify({ ...JSON.parse(header), version: trap }), first, ...rest]
        : [header, JSON.stringify({ ...JSON.parse(first), seq: trap }), ...rest]
    await expect(importSession(createMemoryStore(), lines)).rejects.toBeInstanceOf(AppError)
  })
})

test('a cursor of a list is a place, or is refused as a cursor', () => {
  const honest = encodeListCursor({ updatedAt: 1_700_000_000_000, id: 'a' })
  const json = mutatedJson([[1_700_000_000_000, 'a']]).map(value =>
    Buffer.from(JSON.stringify(value) ?? '').toString('base64url'),
  )
  const huge = fc.constant(Buffer.from('[1e999,"a"]').toString('base64url'))
  fc.assert(
    fc.property(fc.oneof(mutatedText([honest]), json, huge), text => {
      try {
        const { updatedAt, id } = decodeListCursor(text)
        expect([Number.isSafeInteger(updatedAt), typeof id]).toEqual([true, 'string'])
      } catch (error) {
        if (!AppError.is(error)) throw error
        expect(error.code).toBe('invalid_cursor')
      }
    }),
    fuzzing(1000),
  )
})
