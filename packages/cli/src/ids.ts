/** Ids from the system's randomness, which is asked for many at a time. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Ids } from '@toolwire/core'

const ID_BYTES = 12
const IDS_AT_ONCE = 256

export const randomIds: Ids = {
  uuid: () => randomUUID(),
  prefixed: prefix => `${prefix}${nextHex()}`,
}

let pool = ''

function nextHex(): string {
  if (pool === '') pool = randomBytes(ID_BYTES * IDS_AT_ONCE).toString('hex')
  const hex = pool.slice(0, ID_BYTES * 2)
  pool = pool.slice(ID_BYTES * 2)
  return hex
}
