import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toFailure, withoutSecret } from '../../src/shared/failure.ts'

const clean = (message: string, secret: string): string =>
  withoutSecret(toFailure('model_auth', message), secret).message

test('keeps words that contain a short secret', () => {
  expect(clean('Use the latest model, not test-1.', 'test')).toBe('Use the latest model, not test-1.')
  expect(clean('unabcd abc_1 1abc', 'abc')).toBe('unabcd abc_1 1abc')
  expect(clean('最新test版', 'test')).toBe('最新test版')
})

test('redacts a short secret as a separate word', () => {
  expect(clean('The key "test" is wrong (test).', 'test')).toBe('The key "[redacted]" is wrong ([redacted]).')
  expect(clean('key=abc, Bearer abc', 'abc')).toBe('key=[redacted], Bearer [redacted]')
  expect(clean('a.b is not axb', 'a.b')).toBe('[redacted] is not axb')
  expect(clean('($^)\\ is wrong', '($^)\\')).toBe('[redacted] is wrong')
})

test('hides a long secret everywhere, also inside a word and in names of fields', () => {
  const secret = 'sk-0123456789abcdef'
  expect(clean(`x${secret}y`, secret)).toBe('x[redacted]y')
  const failure = toFailure('model_auth', 'no', {
    details: { [secret]: [{ echo: `key ${secret}!`, n: 1, none: null }] },
  })
  expect(withoutSecret(failure, secret).details).toEqual({
    '[redacted]': [{ echo: 'key [redacted]!', n: 1, none: null }],
  })
})

test('leaves its own fields alone, whatever the secret is', () => {
  const failure = toFailure('model_error', 'message: details', { details: { code: 'x' }, provider: 'openai' })
  expect(withoutSecret(failure, 'details')).toEqual({ ...failure, message: 'message: [redacted]' })
  expect(withoutSecret(failure, 'openai')).toEqual(failure)
  expect(withoutSecret(failure, undefined)).toBe(failure)
})

test('never leaves a long secret in a failure', () => {
  // Few letters, so that secrets overlap themselves; none of them is in the replacement.
  const unit = fc.constantFrom('x', 'y', '0')
  fc.assert(
    fc.property(fc.string({ minLength: 12, unit }), fc.string({ unit }), (secret, around) => {
      const text = around + secret + around
      const failure = toFailure('model_error', text, { details: [text] })
      expect(JSON.stringify(withoutSecret(failure, secret))).not.toContain(secret)
    }),
  )
})
