/** Event streams with random wounds, in random pieces: frames or a typed error, and never a frame that was not sent. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fuzzing, inPieces, mutatedText } from '../../core/test/mutate.ts'
import { type Frame, readFrames } from '../src/read-frames.ts'
import { readError, ToolwireError, toError } from '../src/toolwire-error.ts'

const LIMITS = { silenceMs: 60_000 }
const HONEST = [
  'id: s.1.0\ndata: {"type":"text_delta","content":"a"}\n\n',
  ': hb\n\n',
  'event: done\nid: s.2.0\ndata: {"type":"done"}\n\n',
  'retry: 100\nid: s.3.0\ndata: [1,\ndata: 2]\n\n',
].join('')

const streamOf = (pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })

async function framesOf(pieces: readonly Uint8Array[]): Promise<readonly Frame[]> {
  const all: Frame[] = []
  for await (const frames of readFrames(new Response(streamOf(pieces)), LIMITS)) all.push(...frames)
  return all
}

test('any bytes in any pieces are read to their end, with no more frames than there are blank lines', async () => {
  const texts = mutatedText([HONEST, HONEST.replaceAll('\n', '\r\n'), HONEST.replaceAll('\n', '\r')])
  await fc.assert(
    fc.asyncProperty(inPieces(texts), async pieces => {
      const size = pieces.reduce((sum, piece) => sum + piece.length, 0)
      const frames = await framesOf(pieces)
      expect(frames.length).toBeLessThanOrEqual(size / 2)
      expect(frames.reduce((sum, frame) => sum + frame.data.length, 0)).toBeLessThanOrEqual(size)
    }),
    fuzzing(300),
  )
})

test('how bytes are cut into pieces changes nothing', async () => {
  const texts = mutatedText([HONEST])
  const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(texts, sizes, async (text, steps) => {
      const bytes = new TextEncoder().encode(text)
      const pieces: Uint8Array[] = []
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const next = at + (steps[i % steps.length] ?? 1)
        pieces.push(bytes.slice(at, next))
        at = next
      }
      expect(await framesOf(pieces)).toEqual(await framesOf([bytes]))
    }),
    fuzzing(200),
  )
})

test('any refusal becomes a typed error', async () => {
  const body = mutatedText(['{"error":{"code":"session_not_found","message":"No such session."}}', '<html>'])
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom(400, 404, 410, 500, 503), async (text, status) => {
      const error = await readError(new Response(text, { status }))
      expect(error).toBeInstanceOf(ToolwireError)
      expect(error.status).toBe(status)
      expect([typeof error.code, typeof error.message]).toEqual(['string', 'string'])
    }),
    fuzzing(300),
  )
})

test('whatever is thrown becomes a typed error', () => {
  fc.assert(
    fc.property(fc.anything(), thrown => {
      expect(toError(thrown)).toBeInstanceOf(ToolwireError)
    }),
    fuzzing(300),
  )
})
