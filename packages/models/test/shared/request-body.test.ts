import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mostPerTurn } from '../../../core/test/turns.ts'
import { bodyLength, bodyText, toRequestBody } from '../../src/shared/request-body.ts'

const schema = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } })
const own = { name: 'Read', description: 'Reads „files“', input_schema: schema('path') }
const other = { type: 'function', function: { name: 'Write', parameters: schema('text') } }
const write = JSON.stringify

describe('the body of a request', () => {
  test('equals writing it in one piece, wherever its tools are', async () => {
    const tool = fc.constantFrom<object>(
      own,
      other,
      { ...own, description: 'another' },
      { ...own, cache_control: { type: 'ephemeral' } },
      { ...other, function: { ...other.function, strict: true } },
      { type: 'web_search', name: 'web_search' },
    )
    const field = fc.tuple(
      fc.constantFrom('model', 'max_tokens', 'tool_choice'),
      fc.string({ unit: 'binary' }),
    )
    const fields = fc.array(field, { maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(
        fields,
        fc.option(fc.array(tool, { maxLength: 4 })),
        fields,
        async (before, tools, after) => {
          const body = {
            ...Object.fromEntries(before),
            ...(tools ? { tools: tools.map(one => ({ ...one })) } : {}),
            ...Object.fromEntries(after),
          }
          const pieces = await toRequestBody(body, write)
          expect(bodyText(pieces)).toBe(write(body))
          expect(bodyLength(pieces)).toBe(Buffer.byteLength(write(body)))
        },
      ),
    )
  })

  test('shares the bytes of the same tools, and of no others', async () => {
    const bytes = async (tools: readonly object[]) => (await toRequestBody({ tools }, write))[1]
    const first = await bytes([{ ...own }, { ...other, function: { ...other.function } }])
    expect(await bytes([{ ...own }, { ...other }])).toBe(first)
    expect(await bytes([{ ...own, description: 'x' }, other])).not.toBe(first)
    expect(await bytes([{ ...own, input_schema: schema('path') }, other])).not.toBe(first)
    expect(await bytes([own])).not.toBe(first)
  })

  test('is written in pieces, with other work between large messages', async () => {
    const messages = Array.from({ length: 20 }, (_, n) => ({
      role: 'user',
      content: `${n}`.padEnd(60_000, '"'),
    }))
    const body = { model: 'm', messages, max_tokens: 1 }
    const size = JSON.stringify(body).length
    let pieces: Awaited<ReturnType<typeof toRequestBody>> = []
    const most = await mostPerTurn(async () => {
      pieces = await toRequestBody(body, JSON.stringify)
    })
    expect(most).toBeLessThan(size / 10)
    expect(Math.max(...pieces.map(piece => piece.length))).toBeLessThan(size / 10)
    expect(bodyText(pieces)).toBe(JSON.stringify(body))
  })
})
