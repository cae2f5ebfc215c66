/** The Idempotency-Key header: a repeated POST with it gets the first one's answer. */
import { AppError } from '@toolwire/core'
import type { Exchange } from './exchange.ts'

/** The key, or undefined without one. Throws `bad_request` for one that is not 1 to 255 visible characters. */
export function readIdempotencyKey({ headers }: Exchange): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw new AppError('bad_request', 'Idempotency-Key: 1 to 255 visible ASCII characters')
  return key
}
