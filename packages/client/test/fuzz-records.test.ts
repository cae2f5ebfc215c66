/**
 * Whole streams of wounded records, read as a page reads them: a list of records with ascending numbers and a view of
 * them, or a typed error; after a bounded number of requests, whatever the server says.
 */
import { applyRecords, emptyView, type ViewRecord } from '@toolwire/core/view'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bombed } from '../../core/test/bombs.ts'
import { BARE_EVENTS, WHOLE_EVENTS } from '../../core/test/event-samples.ts'
import { fuzzing, inPieces, mutatedText } from '../../core/test/mutate.ts'
import { Script } from '../../core/test/view/script.ts'
import { woundedRecords } from '../../core/test/wounded-records.ts'
import { UiChunks } from '../src/compat/ui-chunks.ts'
import { createClient, ToolwireError } from '../src/index.ts'

const script = new Script().created().ask('hi').turn('m1').text('m1', 0, ['Hel', 'lo'])
script.call('m1', 1, 'c1').add('tool.started', { call_id: 'c1', attempt: 1 })
const logs = [
  script.endTurn('m1', 0.25).completeRun(0.25).records,
  // The bare ones are of no agent: what is of one is left out of some forms.
  [...BARE_EVENTS, ...WHOLE_EVENTS].map((ev, n) => ({ seq: n + 1, ev })),
]

const toFrames = (values: readonly unknown[]): string =>
  values.map((value, n) => `id: s.${n}.0\ndata: ${JSON.stringify(value) ?? 'null'}\n\n`).join('')

interface Came {
  readonly records: readonly ViewRecord[]
  readonly resets: number
  readonly requests: number
  readonly error?: unknown
}

/** Reads a session whose server sends the first answer, then says that this was all. */
async function read(pieces: readonly Uint8Array[], again = false): Promise<Came> {
  let requests = 0
  const fetch: typeof globalThis.fetch = async () => {
    requests += 1
    if (requests > 20) return new Response(null, { status: 404 })
    if (requests > 1 && !again) return new Response(null, { status: 204 })
    return new Response(new Blob(pieces.map(piece => Uint8Array.from(piece))).stream())
  }
  const client = createClient({ fetch, backoff: { baseMs: 0, maxMs: 0 }, maxFrame: 4_000_000 })
  const records: ViewRecord[] = []
  let resets = 0
  const onReset = (): void => {
    resets += 1
    records.length = 0
  }
  try {
    for await (const rec of client.events('s', { follow: false, onReset })) records.push(rec)
    return { records, resets, requests }
  } catch (error) {
    return { records, resets, requests, error }
  }
}

function expectRead({ records, error }: Came, size: number): void {
  if (error !== undefined) expect(error).toBeInstanceOf(ToolwireError)
  const seqs = records.map(({ seq }) => seq)
  expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b))
  const view = JSON.stringify(applyRecords(emptyView(), records))
  expect(view.length).toBeLessThanOrEqual(20_000 + 10 * size)
  const chunks = new UiChunks()
  const told = records.reduce((sum, { ev }) => sum + JSON.stringify(chunks.next(ev)).length, 0)
  expect(told).toBeLessThanOrEqual(20_000 + 10 * size)
}

const sizeOf = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, piece) => sum + piece.length, 0)

test('wounded records are read in order, or end with a typed error', async () => {
  await fc.assert(
    fc.asyncProperty(inPieces(woundedRecords(logs).map(toFrames)), async pieces => {
      const came = await read(pieces)
      expect(came.requests).toBeLessThanOrEqual(3)
      expectRead(came, sizeOf(pieces))
    }),
    fuzzing(300),
  )
})

test('wounded text of a stream is read in order, or ends with a typed error', async () => {
  const texts = mutatedText(logs.map(log => toFrames(log.map(({ seq, ev }) => ({ ...ev, seq })))))
  await fc.assert(
    fc.asyncProperty(inPieces(texts), async pieces => {
      const came = await read(pieces)
      expect(came.requests).toBeLessThanOrEqual(3)
      expectRead(came, sizeOf(pieces))
    }),
    fuzzing(200),
  )
})

test('a server that says the same whenever it is asked is not asked for ever', async () => {
  const told = fc.oneof(
    woundedRecords(logs).map(toFrames),
    // Without ids, and with ids that no header can carry.
    woundedRecords(logs).map(values => toFrames(values).replaceAll(/^id: .*\n/gm, '')),
    woundedRecords(logs).map(values => toFrames(values).replaceAll(/^id: .*$/gm, 'id: \u4e2d')),
  )
  await fc.assert(
    fc.asyncProperty(inPieces(told), async pieces => {
      const came = await read(pieces, true)
      expect(came.requests).toBeLessThanOrEqual(4)
      expectRead(came, sizeOf(pieces))
    }),
    fuzzing(100),
  )
})

test('a bomb among the records is read or passed over, and what is behind it is read', async () => {
  const note = { type: 'note', ts: '2026-11-16T00:00:00.000Z', name: 'behind', value: 1, seq: 900 }
  const stream = bombed(WHOLE_EVENTS.map((ev, n) => ({ ...ev, seq: n + 1 }))).map(
    text => `id: s.1.0\ndata: ${text}\n\nid: s.2.0\ndata: ${JSON.stringify(note)}\n\n`,
  )
  await fc.assert(
    fc.asyncProperty(inPieces(stream), async pieces => {
      const came = await read(pieces)
      expectDrawn(came.records)
      expect(came.requests).toBeLessThanOrEqual(3)
      expect(came.error).toBeUndefined()
    }),
    fuzzing(40),
  )
})

/** Records of any depth come out as they came; the view takes what it can write out again. */
function expectDrawn(records: readonly ViewRecord[]): void {
  JSON.stringify(applyRecords(emptyView(), records))
}
