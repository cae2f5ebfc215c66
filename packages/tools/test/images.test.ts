import { writeFileSync } from 'node:fs'
import type { CallState } from '@toolwire/core'
import { imageSize } from 'image-size'
import sharp from 'sharp'
import { afterEach, describe, expect, test } from 'vitest'
import { createNotebookReadTool } from '../src/builtin/notebook-read.ts'
import { createReadTool } from '../src/builtin/read.ts'
import { type FindScaler, findSharp, fitImage, MAX_IMAGE_BYTES } from '../src/files/fit-image.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'

const NONE: FindScaler = async () => undefined

let stage: Stage | undefined
const open = (findScaler?: FindScaler): Stage => {
  const options = findScaler ? { findScaler } : {}
  stage = createStage({ tools: [createReadTool(options), createNotebookReadTool(options)] })
  return stage
}
afterEach(() => {
  stage?.close()
  stage = undefined
})

const read = (s: Stage, name: string): Promise<CallState> => s.one('Read', { file_path: s.path(name) })
const dataOf = (s: Stage): Record<string, unknown> =>
  (s.events('tool.completed').at(-1)?.structured ?? {}) as Record<string, unknown>
const bytesOf = (call: CallState): Buffer => {
  const [part] = call.outcome?.content ?? []
  if (part?.type !== 'image' || part.source.type !== 'base64') throw new Error('no picture')
  return Buffer.from(part.source.data, 'base64')
}

const flat = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: '#3366cc' } })
/** Noise cannot be packed, so it is as large as it looks. */
const noise = (side: number) =>
  sharp({
    create: {
      width: side,
      height: side,
      channels: 3,
      background: '#000000',
      noise: { type: 'gaussian', mean: 128, sigma: 80 },
    },
  })

describe('an image', () => {
  test.each(['png', 'jpeg', 'gif', 'webp'] as const)(
    'is known as %s by its bytes, whatever its name, with its dimensions in the data',
    async format => {
      const s = open()
      writeFileSync(s.path('a.dat'), await flat(40, 30).toFormat(format).toBuffer())
      const call = await read(s, 'a.dat')
      expect(dataOf(s)).toMatchObject({ media_type: `image/${format}`, width: 40, height: 30 })
      expect(call.outcome?.content[0]).toMatchObject({ source: { media_type: `image/${format}` } })
      expect(dataOf(s)['original']).toBeUndefined()
    },
  )

  test('with a long side beyond 2,000 pixels is scaled down to it, and that is said', async () => {
    const s = open()
    writeFileSync(s.path('wide.png'), await flat(5000, 500).png().toBuffer())
    const call = await read(s, 'wide.png')
    expect(imageSize(bytesOf(call))).toMatchObject({ width: 2000, height: 200 })
    expect(textOf(call)).toContain('2000x200')
    expect(textOf(call)).toContain('scaled down from 5000x500')
    expect(dataOf(s)).toMatchObject({ width: 2000, original: { width: 5000, height: 500 } })
  })

  test('of exactly 2,000 pixels is not touched', async () => {
    const s = open()
    const given = await flat(2000, 10).png().toBuffer()
    writeFileSync(s.path('a.png'), given)
    expect(bytesOf(await read(s, 'a.png')).equals(given)).toBe(true)
  })

  test('with too many bytes loses quality until it fits', async () => {
    const s = open()
    const given = await noise(1800).png().toBuffer()
    expect(given.length).toBeGreaterThan(MAX_IMAGE_BYTES)
    writeFileSync(s.path('noise.png'), given)
    const call = await read(s, 'noise.png')
    expect(bytesOf(call).length).toBeLessThanOrEqual(MAX_IMAGE_BYTES)
    expect(dataOf(s)).toMatchObject({ media_type: 'image/jpeg', width: 1800 })
  })

  test('beyond the bounds is refused in words where nothing can scale it', async () => {
    const s = open(NONE)
    writeFileSync(s.path('wide.png'), await flat(2001, 10).png().toBuffer())
    const call = await read(s, 'wide.png')
    expect(codeOf(call)).toBe('too_large')
    expect(textOf(call)).toMatch(/2001x10.*at most 2000 pixels.*sharp/s)
    writeFileSync(s.path('small.png'), await flat(2000, 10).png().toBuffer())
    expect(codeOf(await read(s, 'small.png'))).toBeUndefined()
  })

  test('that is damaged is called so and never sent', async () => {
    const s = open()
    const whole = await noise(2500).jpeg().toBuffer()
    writeFileSync(s.path('head.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
    writeFileSync(s.path('half.jpg'), whole.subarray(0, 700))
    for (const name of ['head.png', 'half.jpg']) {
      const call = await read(s, name)
      expect(codeOf(call)).toBe('damaged')
      expect(call.outcome?.content).toEqual([])
    }
  })

  test('that claims to be enormous is not unpacked', async () => {
    // A header that says 60,000 by 60,000 pixels.
    const png = await flat(1, 1).png().toBuffer()
    png.writeUInt32BE(60_000, 16)
    png.writeUInt32BE(60_000, 20)
    expect(await fitImage(png)).toMatchObject({ ok: false, code: 'damaged' })
  })

  test('turned by its camera comes upright', async () => {
    const turned = await flat(3000, 1000).jpeg().withMetadata({ orientation: 6 }).toBuffer()
    const fit = await fitImage(turned)
    expect(fit.ok && [fit.image.width, fit.image.height]).toEqual([667, 2000])
  })
})

test('images of a notebook keep the same bounds, in Read and in NotebookRead', async () => {
  const wide = (await flat(3000, 30).png().toBuffer()).toString('base64')
  const broken = Buffer.from([0x89, 0x50, 0x4e, 0x47]).toString('base64')
  const output = (data: string) => ({
    output_type: 'display_data',
    metadata: {},
    data: { 'image/png': data },
  })
  const cell = {
    id: 'a',
    cell_type: 'code',
    source: 'x',
    metadata: {},
    execution_count: null,
    outputs: [output(wide), output(broken)],
  }
  const book = JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] })
  const s = open()
  writeFileSync(s.path('n.ipynb'), book)
  for (const call of [
    await read(s, 'n.ipynb'),
    await s.one('NotebookRead', { notebook_path: s.path('n.ipynb') }),
  ]) {
    expect(call.outcome?.content).toHaveLength(1)
    expect(imageSize(bytesOf(call)).width).toBe(2000)
    expect(textOf(call)).toContain('Picture 2 is not shown')
  }
})

test('the package that scales is found once', async () => {
  expect(await findSharp()).toBe(await findSharp())
  expect(await findSharp()).toBeTypeOf('function')
})
