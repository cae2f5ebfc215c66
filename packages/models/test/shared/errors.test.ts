/** Providers' refusals in our table. */
import { describe, expect, it } from 'vitest'
import { toHttpFailure as messagesFailure } from '../../src/anthropic/errors.ts'
import { toHttpFailure as chatFailure } from '../../src/shared/openai-errors.ts'

describe('Messages', () => {
  const body = (type: string, message: string): string =>
    JSON.stringify({ type: 'error', error: { type, message } })
  it.for([
    [
      400,
      body('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
      'context_too_long',
    ],
    [413, body('request_too_large', 'too big'), 'context_too_long'],
    [404, body('not_found_error', 'model: claude-x'), 'unknown_model'],
    [400, body('invalid_request_error', 'max_tokens: must be positive'), 'model_error'],
    [502, '<html>bad gateway</html>', 'model_unavailable'],
    [504, '', 'model_timeout'],
  ] as const)('%i %s is %s', ([status, text, code]) => {
    expect(messagesFailure(status, text, []).code).toBe(code)
  })

  it('names the tool whose schema was refused', () => {
    const failure = messagesFailure(
      400,
      body('invalid_request_error', 'tools.1.custom.input_schema: JSON schema is invalid'),
      ['a', 'b'],
    )
    expect(failure).toMatchObject({ code: 'schema_rejected', details: { tool: 'b' } })
    expect(failure.message).toContain('"b"')
  })
})

describe('Chat Completions', () => {
  const toolsOf = (...names: string[]) => ({ names, nameOf: (wire: string) => wire.replace('_', '.') })
  const body = (message: string, code: string | null = null, type = 'invalid_request_error'): string =>
    JSON.stringify({ error: { message, type, code, param: null } })
  it.for([
    [400, body('too long', 'context_length_exceeded'), 'context_too_long', false],
    [400, body("This model's maximum context length is 8192 tokens"), 'context_too_long', false],
    [404, body('The model `x` does not exist', 'model_not_found'), 'unknown_model', false],
    [429, body('slow down', 'rate_limit_exceeded'), 'model_rate_limited', true],
    [429, body('no money', 'insufficient_quota'), 'model_rate_limited', false],
    [
      400,
      JSON.stringify({ error: 'registry.ollama.ai/library/x does not support tools' }),
      'tools_unsupported',
      false,
    ],
    [500, 'oops', 'model_unavailable', true],
  ] as const)('%i %s is %s', ([status, text, code, retryable]) => {
    expect(chatFailure(status, text, toolsOf())).toMatchObject({ code, retryable })
  })

  it('names the tool whose schema was refused', () => {
    expect(chatFailure(400, body("Invalid schema for function 'b': x"), toolsOf('a', 'b'))).toMatchObject({
      details: { tool: 'b' },
    })
    const [byName, byPlace] = ["Invalid schema for function 'a_b': x", 'tools[1].function.parameters: x']
    expect(chatFailure(400, body(byName), toolsOf()).details).toMatchObject({ tool: 'a.b' })
    expect(chatFailure(400, body(byPlace), toolsOf('a', 'b')).details).toMatchObject({ tool: 'b' })
  })
})
