/** A live session reads a large input in tiny pieces at the same cost per character, whatever its size: counted, not timed. */
import { expect, it } from 'vitest'
import { countWork } from '../../core/test/count-work.ts'
import { createClient } from '../src/index.ts'
import { fakeFetch, openStream } from './fake-fetch.ts'

const PIECE = 16
const ids = { session_id: 's', run_id: 'r', message_id: 'm', block_id: 'b' }

/** Frames of a call whose arguments come in pieces, without their end. */
function* framesOf(input_text: string): Generator<string> {
  let seq = 0
  const frame = (ev: object): string => {
    seq += 1
    const body = { v: 1, seq, id: `s.${seq}`, ts: '2026-01-01T00:00:00.000Z', ...ids, ...ev }
    return `id: s.${seq}.0\ndata: ${JSON.stringify(body)}\n\n`
  }
  const tool = { call_id: 'c', name: 'Write', tool_type: 'builtin', executor: 'server' }
  yield frame({ type: 'block.started', index: 0, run_index: 0, kind: 'tool_use', tool })
  for (let offset = 0; offset < input_text.length; offset += PIECE)
    yield frame({ type: 'block.delta', offset, input_text: input_text.slice(offset, offset + PIECE) })
}

/** Characters that are worked on for each character of the arguments. */
async function workPerChar(size: number): Promise<number> {
  const text = JSON.stringify({ file_path: '/a', content: 'say "x"\n'.repeat(size / 10) })
  const frames = [...framesOf(text)]
  const stream = openStream()
  const live = createClient({ fetch: fakeFetch(stream.answer).fetch, frameMs: 1 }).session('s')
  const release = live.open()
  await live.until(({ connection }) => connection.state === 'catching_up')
  const { chars, result } = await countWork(async () => {
    for (const frame of frames) stream.write(frame)
    return await live.until(({ view }) => view.head === frames.length)
  })
  release()
  live.close()
  const call = result.view.calls.get('c')
  expect(call?.input_text).toBe(text)
  expect(call?.peek?.mode).toBe('done')
  return chars / text.length
}

it('takes in and looks into every piece alone', async () => {
  const small = await workPerChar(10_000)
  const large = await workPerChar(40_000)
  expect(large).toBeLessThan(1.1 * small)
})
