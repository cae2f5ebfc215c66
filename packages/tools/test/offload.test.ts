/** Work on what strangers made leaves the event loop free, and ends, whatever it is made of. */
import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { JOBS, type JobName } from '../src/offload/jobs.ts'
import { offload } from '../src/offload/offload.ts'
import { createThreadPool, type ThreadPool } from '../src/offload/thread-pool.ts'
import { bombPdf } from './bomb-pdf.ts'
import { createStage } from './stage.ts'

const THREAD = new URL('../src/offload/offload-thread.ts', import.meta.url)
const LIMITS = { threads: 1, queue: 1, memory_mb: 256, idle_ms: 1000 }
const TIMEOUT = { timeout_ms: 60_000 }

/** A PDF that takes far longer than the test. */
const endless: Parameters<typeof offload<'pdfText'>>[1] = [bombPdf({ width: 20, depth: 20 }), undefined, 10]

/** Turns of the event loop while the work was in flight. */
async function turnsDuring<T>(
  work: () => Promise<T>,
): Promise<{ readonly turns: number; readonly result: T }> {
  let turns = 0
  let isOver = false
  const count = (): void => {
    if (isOver) return
    turns += 1
    setImmediate(count)
  }
  setImmediate(count)
  const result = await work()
  isOver = true
  return { turns, result }
}

describe('a large piece of work leaves the event loop free', () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => `const value${n} = compute(${n})\n`).join('')
  const text = Buffer.from(lines)

  /** Loading the modules would take turns as well, wherever the work is done. */
  beforeAll(async () => {
    const [bytes, request] = [Buffer.from('a'), { old_string: 'a', new_string: 'b', replace_all: false }]
    await offload('planEdit', [bytes, request, undefined])
    await offload('describeFiles', ['/a', bytes, Buffer.from('b')])
    await offload('pageText', [bytes, 'text/html', 'https://example.com'])
    await offload('showNotebook', [bytes, undefined])
  })

  test('an edit that matches nothing', async () => {
    const request = { old_string: 'const nothing = like(it)', new_string: '', replace_all: false }
    const { turns, result } = await turnsDuring(() => offload('planEdit', [text, request, undefined]))
    expect(result).toMatchObject({ ok: false, problem: { code: 'no_match' } })
    expect(turns).toBeGreaterThan(10)
  })

  test('the difference of two files', async () => {
    const other = Buffer.from(lines.replaceAll('value', 'other').slice(0, 150_000))
    const { turns, result } = await turnsDuring(() => offload('describeFiles', ['/a', text, other]))
    expect(result.path).toBe('/a')
    expect(turns).toBeGreaterThan(10)
  })

  test('a page of HTML', async () => {
    const html = Buffer.from('<p>hello <b>world</b></p>'.repeat(40_000))
    const { turns, result } = await turnsDuring(() =>
      offload('pageText', [html, 'text/html', 'https://example.com']),
    )
    expect(result?.text.slice(0, 15)).toBe('hello **world**')
    expect(turns).toBeGreaterThan(10)
  })

  test('a notebook of many cells', async () => {
    const cells = Array.from({ length: 40_000 }, (_, n) => ({
      cell_type: 'raw',
      id: `c${n}`,
      metadata: {},
      source: '',
    }))
    const bytes = Buffer.from(JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }))
    const { turns, result } = await turnsDuring(() => offload('showNotebook', [bytes, 'c9']))
    expect(result).toMatchObject({ ok: true, total: 40_000 })
    expect(turns).toBeGreaterThan(10)
  })
})

describe('a tool has a thread do its work on', () => {
  const big = 'const value = compute()\n'.repeat(20_000)
  const notebook = JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: [{ cell_type: 'raw', id: 'c', metadata: {}, source: big }],
  })
  test.each<[string, string, string | Buffer, string, (path: string) => object]>([
    ['a PDF, however small', 'a.pdf', bombPdf({ width: 3, depth: 5 }), 'Read', file_path => ({ file_path })],
    [
      'a large file that an edit does not match',
      'a.ts',
      big,
      'Edit',
      file_path => ({ file_path, old_string: 'const nothing = like(it)', new_string: '' }),
    ],
    [
      'a large file that an edit matches',
      'a.ts',
      `${big}end`,
      'Edit',
      file_path => ({ file_path, old_string: 'end', new_string: 'fin' }),
    ],
    ['a large file that is replaced', 'a.ts', big, 'Write', file_path => ({ file_path, content: `${big}x` })],
    ['a large notebook', 'a.ipynb', notebook, 'NotebookRead', notebook_path => ({ notebook_path })],
    [
      'a large notebook that is changed',
      'a.ipynb',
      notebook,
      'NotebookEdit',
      notebook_path => ({ notebook_path, cell_id: 'c', new_source: 'x' }),
    ],
  ])('%s', async (...[, name, content, tool, input]) => {
    const inline = (Object.keys(JOBS) as JobName[]).map(job => vi.spyOn(JOBS, job))
    const s = createStage({ tools: createBuiltinTools(), mode: 'acceptEdits' })
    try {
      writeFileSync(s.path(name), content)
      await s.one('Read', { file_path: s.path(name) })
      const call = await s.one(tool, input(s.path(name)))
      expect(call.outcome).toBeDefined()
      for (const job of inline) {
        const large = job.mock.calls.filter(args => JSON.stringify(args).length > 100_000 || name === 'a.pdf')
        expect(large, job.getMockName()).toEqual([])
      }
    } finally {
      s.close()
      vi.restoreAllMocks()
    }
  })
})

test('a small piece of work is done at once', async () => {
  const request = { old_string: 'a', new_string: 'b', replace_all: false }
  // Loaded before it is counted.
  await offload('planEdit', [Buffer.from('a'), request, undefined])
  const { turns } = await turnsDuring(() => offload('planEdit', [Buffer.from('a'), request, undefined]))
  expect(turns).toBe(0)
})

describe('work that does not end', () => {
  test('is ended at its time limit, and the next begins', async () => {
    expect(endless[0].length).toBeLessThan(64 * 1024)
    await expect(offload('pdfText', endless, { timeout_ms: 1000 })).rejects.toMatchObject({ code: 'timeout' })
    const { total } = await offload('pdfText', [bombPdf({ width: 1, depth: 1 }), undefined, 10])
    expect(total).toBe(1)
  })

  test('is ended when its caller gives up, and so does what waits', async () => {
    const pool = createThreadPool(THREAD, LIMITS)
    const stop = new AbortController()
    const first = pool.run('pdfText', endless, { ...TIMEOUT, signal: stop.signal })
    const second = pool.run('pdfText', endless, { ...TIMEOUT, signal: stop.signal })
    stop.abort()
    await expect(first).rejects.toMatchObject({ code: 'aborted' })
    await expect(second).rejects.toMatchObject({ code: 'aborted' })
    expect(await firstLine(pool)).toEqual(['a'])
  })

  test('makes no more wait than there is room for', async () => {
    const pool = createThreadPool(THREAD, LIMITS)
    const stop = new AbortController()
    const options = { ...TIMEOUT, signal: stop.signal }
    const waiting = [pool.run('pdfText', endless, options), pool.run('pdfText', endless, options)]
    await expect(pool.run('pdfText', endless, options)).rejects.toMatchObject({ code: 'busy' })
    stop.abort()
    await Promise.allSettled(waiting)
  })
})

const firstLine = async (pool: ThreadPool): Promise<readonly string[]> =>
  ((await pool.run('pageOf', [Buffer.from('a\nb'), { first: 1, limit: 1 }], TIMEOUT)) as { lines: string[] })
    .lines

describe('work that needs too much memory', () => {
  test('for its objects is ended, and the next begins', async () => {
    const pool = createThreadPool(THREAD, { ...LIMITS, memory_mb: 128 })
    const lines = Buffer.from('a\n'.repeat(12_000_000))
    const page = { first: 1, limit: 12_000_000 }
    await expect(pool.run('pageOf', [lines, page], TIMEOUT)).rejects.toMatchObject({ code: 'out_of_memory' })
    expect(await firstLine(pool)).toEqual(['a'])
  })

  test('for its buffers is ended', async () => {
    const pool = createThreadPool(THREAD, { ...LIMITS, memory_mb: 96 })
    const bytes = bombPdf({ width: 1, depth: 1, blanks: 400_000_000 })
    await expect(pool.run('pdfText', [bytes, undefined, 10], TIMEOUT)).rejects.toMatchObject({
      code: 'out_of_memory',
    })
  })
})

test('what work throws is thrown', async () => {
  await expect(offload('pdfText', [Buffer.from('no PDF'), undefined, 10])).rejects.toThrow(/PDF/)
})
