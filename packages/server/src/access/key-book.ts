/**
 * Finds the principal of a key: those of the settings, and those that were made with
 * `toolwire keys`. A record is read again after a second, so a revoked key dies within one.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Records } from '@toolwire/core'
import { digestOf, getKey, isUsable, type KeyRecord, keyIdOf, listKeys, toPrincipal } from './api-key.ts'
import { DEFAULT_OWNER, NO_LIMITS, type Principal, SCOPES } from './principal.ts'

export interface KeyBook {
  /** Whether requests need a key. Once true it stays so: revoking the last key opens nothing. */
  required(): Promise<boolean>
  /** Undefined for a key that is unknown, wrong, revoked or expired. */
  find(key: string): Promise<Principal | undefined>
}

export interface KeyBookOptions {
  readonly apiKeys: readonly string[]
  readonly records?: Records | undefined
  /** For expiry. */
  readonly now: () => Date
  /** Milliseconds that never go back, whatever happens to the clock; the process's own unless told. */
  readonly ticks?: () => number
}

const FRESH_MS = 1000
const KEEP = 10_000

export function createKeyBook(options: KeyBookOptions): KeyBook {
  const { apiKeys, records, now, ticks = () => performance.now() } = options
  const configured = apiKeys.map(digestOf)
  const known = new Map<string, { readonly record: KeyRecord | undefined; readonly at: number }>()
  let needed = configured.length > 0
  let looked = Number.NEGATIVE_INFINITY

  async function recordOf(id: string): Promise<KeyRecord | undefined> {
    const at = ticks()
    const cached = known.get(id)
    if (cached && at - cached.at < FRESH_MS) return cached.record
    const record = records && (await getKey(records, id))
    if (known.size >= KEEP) known.clear()
    known.set(id, { record, at })
    return record
  }
  return {
    async required() {
      const at = ticks()
      if (needed || !records || at - looked < FRESH_MS) return needed
      looked = at
      needed = (await listKeys(records)).length > 0
      return needed
    },
    async find(key) {
      const candidate = digestOf(key)
      // Every key is compared, so that the time tells nothing about which one came close.
      const [match] = configured.filter(digest => timingSafeEqual(digest, candidate))
      if (match) return toConfigured(match)
      const id = keyIdOf(key)
      const record = id === undefined ? undefined : await recordOf(id)
      return record && isUsable(record, key, now()) ? toPrincipal(record) : undefined
    },
  }
}

const toConfigured = (digest: Buffer): Principal => ({
  owner: DEFAULT_OWNER,
  key_id: `config-${digest.toString('hex').slice(0, 8)}`,
  scopes: new Set(SCOPES),
  limits: NO_LIMITS,
  workspace: null,
  unbounded: false,
})
