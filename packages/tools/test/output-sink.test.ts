import { execFile, execFileSync } from 'node:child_process'
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createByteEnds, createRing } from '../src/shell/byte-ends.ts'
import { createOutputSink } from '../src/shell/output-sink.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'toolwire-sink-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 })

describe('ends of a stream', () => {
  test('a ring holds the last bytes, whatever the chunks', () => {
    fc.assert(
      fc.property(chunks, fc.integer({ min: 1, max: 50 }), (given, size) => {
        const ring = createRing(size)
        for (const chunk of given) ring.add(chunk)
        const all = Buffer.concat(given)
        expect(ring.bytes()).toEqual(Buffer.from(all.subarray(Math.max(0, all.length - size))))
        expect(ring.dropped()).toBe(all.length > size)
      }),
    )
  })

  test('what fits is kept whole; otherwise both ends, never half a character', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 200 })
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 30 }),
        (given, size, step) => {
          const ends = createByteEnds(size, size * 2)
          const bytes = Buffer.from(given)
          for (let at = 0; at < bytes.length; at += step) ends.add(bytes.subarray(at, at + step))
          const kept = ends.text()
          if (ends.isWhole()) expect(kept).toBe(bytes.toString())
          else {
            expect(kept).not.toContain('\ufffd')
            expect(kept.length).toBeLessThanOrEqual(size * 3)
          }
        },
      ),
    )
  })
})

describe('output', () => {
  test('is read no faster than the disk takes it, and all of it arrives', async () => {
    // A pipe accepts nothing until it is read.
    const path = join(dir, 'out.log')
    execFileSync('mkfifo', [path])
    const sink = createOutputSink(path, 1000, () => createWriteStream(path))
    const chunk = Buffer.alloc(64 * 1024, 'x')
    let given = 0
    const source = new Readable({
      read() {
        this.push(given < 64 ? chunk : null)
        given++
      },
    })
    sink.attach(source, 'stdout')
    for (let turn = 0; turn < 300; turn++) await new Promise(resolve => setImmediate(resolve))
    expect(given).toBeLessThan(16)
    let taken = 0
    const reader = createReadStream(path).on('data', data => {
      taken += data.length
    })
    const done = new Promise<void>(resolve => reader.once('close', () => resolve()))
    await sink.ended
    await sink.close()
    await done
    expect(taken).toBe(64 * chunk.length)
  })

  test('arrives with whole characters although two streams are cut inside them', async () => {
    const sink = createOutputSink(join(dir, 'out.log'), 1000)
    const streams = { stdout: new PassThrough(), stderr: new PassThrough() }
    sink.attach(streams.stdout, 'stdout')
    sink.attach(streams.stderr, 'stderr')
    const [han, smile] = [Buffer.from('中'), Buffer.from('😀')]
    streams.stdout.write(han.subarray(0, 2))
    await new Promise(setImmediate)
    streams.stderr.write(smile.subarray(0, 1))
    await new Promise(setImmediate)
    streams.stdout.end(han.subarray(2))
    await new Promise(setImmediate)
    streams.stderr.end(smile.subarray(1))
    await sink.ended
    await sink.close()
    expect(sink.collected()).toMatchObject({ text: '中😀', stdout: '中', stderr: '😀', chars: 3, bytes: 7 })
  })

  test('that does not fit is in the file byte for byte, also what is no text', async () => {
    const sink = createOutputSink(join(dir, 'out.log'), 10)
    const stream = new PassThrough()
    sink.attach(stream, 'stdout')
    const given = Buffer.from([...Array.from({ length: 300 }, (_, i) => (i % 255) + 1)])
    for (let at = 0; at < given.length; at += 7) stream.write(given.subarray(at, at + 7))
    stream.end()
    await sink.ended
    await sink.close()
    expect(readFileSync(join(dir, 'out.log')).equals(given)).toBe(true)
    expect(sink.collected()).toMatchObject({ whole: false, bytes: 300 })
  })

  test('measures characters and lines as a string would', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), async (a, b) => {
        const text = Buffer.from(`${a}\n${b}`).toString()
        const sink = createOutputSink(join(dir, 'out.log'), 10_000)
        const stream = new PassThrough()
        sink.attach(stream, 'stdout')
        stream.end(text)
        await sink.ended
        await sink.close()
        const { chars, lines } = sink.collected()
        expect([chars, lines]).toEqual([text.length, text.replace(/\n$/, '').split('\n').length])
      }),
      { numRuns: 30 },
    )
  })

  test('of a hundred megabytes holds less than two megabytes of memory at any time', async () => {
    const script = new URL('./output-memory.ts', import.meta.url).pathname
    const args = ['--expose-gc', '--conditions=toolwire-source', script]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const { bytes, stored, inline, peak } = JSON.parse(stdout)
    expect([bytes, stored]).toEqual([104_857_600, 104_857_600])
    expect(inline).toBeLessThanOrEqual(40_000)
    expect(peak).toBeLessThan(2 * 1024 * 1024)
  })
})
