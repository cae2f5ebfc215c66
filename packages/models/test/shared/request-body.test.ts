import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bodyLength, bodyText, toRequestBody } from '../../src/shared/request-body.ts'

const schema = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } })
const own = { name: 'Read', description: 'Reads „files“', input_schema: schema('path') }
const other = { type: 'function', function: { name: 'Write', parameters: schema('text') } }
const write = JSON.stringify

describe('the body of a request', () => {
  test('equals writing it in one piece, wherever its tools are', () => {
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
    fc.assert(
      fc.property(fields, fc.option(fc.array(tool, { maxLength: 4 })), fields, (before, tools, after) => {
        const body = {
          ...Object.fromEntries(before),
          ...(tools ? { tools: tools.map(one => ({ ...one })) } : {}),
          ...Object.fromEntries(after),
        }
        const pieces = toRequestBody(body, write)
        expect(bodyText(pieces)).toBe(write(body))
        expect(bodyLength(pieces)).toBe(Buffer.byteLength(write(body)))
      }),
    )
  })

  test('shares the bytes of the same tools, and of no others', () => {
    const bytes = (tools: readonly object[]) => toRequestBody({ tools }, write)[1]
    const first = bytes([{ ...own }, { ...other, function: { ...other.function } }])
    expect(bytes([{ ...own }, { ...other }])).toBe(first)
    expect(bytes([{ ...own, description: 'x' }, other])).not.toBe(first)
    expect(bytes([{ ...own, input_schema: schema('path') }, other])).not.toBe(first)
    expect(bytes([own])).not.toBe(first)
  })
})
