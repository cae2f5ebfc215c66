import { readFileSync } from 'node:fs'
import { AppError, ERRORS } from '@toolwire/core'
import { expect, test } from 'vitest'

test('docs/errors.md lists exactly the codes of the table, with status and retryability', () => {
  const doc = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  const rows = [...doc.matchAll(/^\| `([a-z0-9_]+)` \| (\d+) \| (yes|no) \| (.+) \|$/gm)].map(
    ([, code, status, retryable, meaning]) => ({
      code,
      status: Number(status),
      retryable: retryable === 'yes',
      meaning,
    }),
  )
  expect(rows).toEqual(Object.entries(ERRORS).map(([code, row]) => ({ code, ...row })))
})

test('an AppError is recognised across copies of the package by its brand', () => {
  expect(AppError.is(new AppError('conflict'))).toBe(true)
  expect(AppError.is({ code: 'conflict' })).toBe(false)
  expect(AppError.is(new Error('conflict'))).toBe(false)
})
