/** A model that ignores its signal is left alone after a while; any other is not disturbed. */
import { expect, it } from 'vitest'
import { untilIgnored } from '../../src/loop/until-ignored.ts'

async function* parts(...given: readonly (number | 'hang')[]) {
  for (const one of given) {
    if (one === 'hang') await new Promise(() => {})
    else yield one
  }
}

it('passes everything on, also after the signal', async () => {
  const stop = new AbortController()
  const seen: number[] = []
  for await (const part of untilIgnored(parts(1, 2, 3), stop.signal)) {
    seen.push(part)
    stop.abort()
  }
  expect(seen).toEqual([1, 2, 3])
})

it('gives up a model that hangs after its signal', async () => {
  const stop = new AbortController()
  const read = Array.fromAsync(untilIgnored(parts(1, 'hang'), stop.signal, 0))
  stop.abort(new Error('stopped'))
  await expect(read).rejects.toThrow('stopped')
})

it('gives up a model that is asked after its signal', async () => {
  const read = Array.fromAsync(untilIgnored(parts('hang'), AbortSignal.abort(new Error('before')), 0))
  await expect(read).rejects.toThrow('before')
})

it('closes the model and removes its listener when its reader leaves', async () => {
  const stop = new AbortController()
  let isClosed = false
  async function* endless() {
    try {
      for (;;) yield 1
    } finally {
      isClosed = true
    }
  }
  for await (const _ of untilIgnored(endless(), stop.signal, 0)) break
  expect(isClosed).toBe(true)
})

it('passes the failure of a model on', async () => {
  const failing = {
    [Symbol.asyncIterator]: () => ({
      next(): never {
        throw new Error('at once')
      },
    }),
  }
  await expect(Array.fromAsync(untilIgnored(failing, new AbortController().signal))).rejects.toThrow(
    'at once',
  )
})
