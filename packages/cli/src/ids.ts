import { randomBytes, randomUUID } from 'node:crypto'
import type { Ids } from '@toolwire/core'

/** Ids from the system's randomness. */
export const randomIds: Ids = {
  uuid: () => randomUUID(),
  prefixed: prefix => `${prefix}${randomBytes(12).toString('hex')}`,
}
