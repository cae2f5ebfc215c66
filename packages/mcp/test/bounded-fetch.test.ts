/** Messages of MCP servers over HTTP that are too large, too deep or of too many values, in one piece and in many. */
import { describe, expect, test } from 'vitest'
import { createBoundedFetch } from '../src/bounded-fetch.ts'
import { MAX_NESTING, MAX_VALUES } from '../src/message-shape.ts'

const LIMIT = 3 * MAX_VALUES
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const many = (values: number): string => `[${'1,'.repeat(values - 2)}1]`
/** Brackets and commas in a text are letters. */
const flat = `{"a":"${'['.repeat(MAX_NESTING + 1)}${','.repeat(MAX_VALUES)}\\"["}`

/** What a client reads of such an answer, which comes in pieces of so many bytes. */
async function read(body: string, type: string, size = body.length): Promise<string> {
  const bytes = new TextEncoder().encode(body)
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
      controller.close()
    },
  })
  const send = async (): Promise<Response> => new Response(stream, { headers: { 'content-type': type } })
  return await (await createBoundedFetch(LIMIT, send)('http://mcp.example/')).text()
}

describe.each([1, 7, 100_000])('in pieces of %i bytes', size => {
  test('an answer is read up to its limits, and ends with an error beyond them', async () => {
    const ask = (body: string): Promise<string> => read(body, 'application/json', size)
    for (const body of [deep(MAX_NESTING), flat, many(MAX_VALUES), 'x'.repeat(LIMIT)])
      expect(await ask(body)).toBe(body)
    await expect(ask(deep(MAX_NESTING + 1))).rejects.toThrow('nested deeper')
    await expect(ask(many(MAX_VALUES + 1))).rejects.toThrow('more than 30000 values')
    await expect(ask('{'.repeat(MAX_VALUES + 1))).rejects.toThrow('nested deeper')
    await expect(ask('x'.repeat(LIMIT + 1))).rejects.toThrow('larger than')
  })

  test('a stream continues for as long as each event of it stays within them', async () => {
    const ask = (body: string): Promise<string> => read(body, 'text/event-stream', size)
    for (const end of ['\n\n', '\r\n\r\n']) {
      const half = `data: ${'['.repeat(MAX_NESTING)}${end}`
      const long = `data: ${'x'.repeat(LIMIT / 4)}${end}`.repeat(6)
      const wide = `data: ${many(MAX_VALUES)}${end}`
      for (const body of [half + half, `data: ${flat}${end}`, long, wide + wide])
        expect(await ask(body)).toBe(body)
      await expect(ask(`${half}data: ${deep(MAX_NESTING + 1)}${end}`)).rejects.toThrow('nested deeper')
      // It need not have ended: it is what grows that is cut off.
      await expect(ask(`${long}data: ${'x'.repeat(2 * LIMIT)}`)).rejects.toThrow('larger than')
      await expect(ask(`${wide}data: ${many(MAX_VALUES + 1)}`)).rejects.toThrow('values')
    }
  })
})
