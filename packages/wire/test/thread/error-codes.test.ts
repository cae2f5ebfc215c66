import { AppError, ERRORS, type ErrorCode } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { toThreadError } from '../../src/index.ts'
import { toStatus } from '../../src/thread/error-codes.ts'

const codes = Object.keys(ERRORS) as ErrorCode[]

describe('errors of the thread wire', () => {
  it.each(codes)('%s has an upper-case code, and says whether to try again', code => {
    const { error } = toThreadError(new AppError(code, 'why', { field: 'x' }), 'req_1')
    expect(error.code).toMatch(/^[A-Z]+(_[A-Z]+)*$/)
    expect(error).toEqual({
      code: error.code,
      message: 'why',
      details: { field: 'x' },
      retryable: ERRORS[code].retryable,
      request_id: 'req_1',
    })
    expect(toStatus({ code })).toBe(ERRORS[code].status)
  })

  it('keep the provider’s status, and only a real one', () => {
    expect(toStatus({ code: 'model_auth', http_status: 403 })).toBe(403)
    expect(toStatus({ code: 'model_error', http_status: 200 })).toBe(502)
    expect(toStatus({ code: 'something_else' })).toBe(500)
  })

  it('use the documented codes where there are some', () => {
    const spelled = (code: ErrorCode) => toThreadError(new AppError(code), '').error.code
    expect(spelled('bad_request')).toBe('INVALID_REQUEST')
    expect(spelled('session_not_found')).toBe('THREAD_NOT_FOUND')
    expect(spelled('internal')).toBe('INTERNAL_ERROR')
    expect(spelled('model_error')).toBe('MODEL_ERROR')
    expect(spelled('model_timeout')).toBe('MODEL_TIMEOUT')
    expect(spelled('model_rate_limited')).toBe('MODEL_RATE_LIMIT')
    expect(spelled('already_running')).toBe('ALREADY_RUNNING')
    expect(spelled('context_too_long')).toBe('CONTEXT_TOO_LONG')
  })

  it('never show the text of a bug', () => {
    const body = toThreadError(new Error('password=hunter2'), 'req_1')
    expect(JSON.stringify(body)).not.toContain('hunter2')
    expect(body.error.code).toBe('INTERNAL_ERROR')
  })
})
