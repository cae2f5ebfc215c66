/** Streams that no honest server sends: without end, without news, with places that cannot be named. */
import { expect, test } from 'vitest'
import { createClient } from '../src/index.ts'
import { fakeFetch, note, openStream, status, stream } from './fake-fetch.ts'

const clientOf = (fetch: typeof globalThis.fetch, maxFrame = 10_000) =>
  createClient({ fetch, backoff: { baseMs: 0, maxMs: 0 }, maxFrame })

async function collect(events: AsyncIterable<{ readonly seq: number }>): Promise<readonly number[]> {
  const seqs: number[] = []
  for await (const { seq } of events) seqs.push(seq)
  return seqs
}

test.for([
  ['a line', `data: ${'x'.repeat(20_000)}`],
  ['data in lines', 'data: xxxxxxxxx\n'.repeat(2000)],
  ['a name', `event: ${'x'.repeat(20_000)}`],
])('%s without end ends the stream with an error, after what stood before it', async ([, endless]) => {
  const { fetch, seen } = fakeFetch(stream(note(1) + endless))
  const seqs: number[] = []
  const reading = (async () => {
    for await (const { seq } of clientOf(fetch).events('s')) seqs.push(seq)
  })()
  await expect(reading).rejects.toMatchObject({
    name: 'ToolwireError',
    code: 'frame_too_large',
    retryable: false,
    message: 'A frame is too long.',
  })
  expect([seqs, seen.length]).toEqual([[1], 1])
})

test('a live session whose stream is too large is closed and says why', async () => {
  const { fetch } = fakeFetch(stream(`data: ${'x'.repeat(20_000)}`))
  const live = clientOf(fetch).session('s')
  await expect(live.until(() => false)).rejects.toMatchObject({ code: 'frame_too_large' })
  expect(live.getSnapshot().connection).toMatchObject({ state: 'closed', error: { code: 'frame_too_large' } })
  live.close()
})

test('as much as the limit comes whole, however it is cut', async () => {
  const data = JSON.stringify({ type: 'note', ts: '', name: 'n', value: 'x'.repeat(9000), seq: 1 })
  const { answer, write } = openStream()
  const { fetch } = fakeFetch(answer)
  const events = clientOf(fetch).events('s')
  const first = events.next()
  await new Promise(resolve => setTimeout(resolve, 0))
  for (const piece of `id: s.1.0\ndata: ${data}\n\n`.match(/.{1,100}/gs) ?? []) write(piece)
  expect((await first).value).toMatchObject({ seq: 1 })
  await events.return(undefined)
})

test('a server that repeats itself without a new place is not asked again', async () => {
  const same = stream(note(1).replace(/^id: .*\n/m, ''))
  const { fetch, seen } = fakeFetch(same, same, status(404))
  expect(await collect(clientOf(fetch).events('s', { follow: false }))).toEqual([1])
  expect(seen).toHaveLength(1)
})

test('an id that no header can carry is not sent back', async () => {
  const odd = note(2).replace('id: s.2.0', 'id: s.\u4e2d')
  const { fetch, seen } = fakeFetch(stream(note(1) + odd), status(204))
  expect(await collect(clientOf(fetch).events('s', { follow: false }))).toEqual([1, 2])
  expect(seen.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, 's.1.0'])
})

test('a server that leaves out what it was asked for whole is refused by name', async () => {
  const short = note(1).replace('"type":"note"', '"type":"tool.ready","call_id":"c","omitted":["input_text"]')
  const { fetch, seen } = fakeFetch(stream(short))
  await expect(collect(clientOf(fetch).events('s'))).rejects.toMatchObject({
    name: 'ToolwireError',
    code: 'bad_response',
  })
  expect(seen.map(({ url }) => url.searchParams.get('repeats'))).toEqual(['omit', null])
})
