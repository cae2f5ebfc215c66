/**
 * Finds the principal of a key: those of the settings, and those that were made with
 * `toolwire keys`. A record is read again after a second, so a revoked key dies within one.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Records } from '@toolwire/core'
import {
  digestOf,
  getKey,
  getKeys,
  isCurrent,
  isUsable,
  type KeyRecord,
  keyIdOf,
  listKeys,
  toPrincipal,
} from './api-key.ts'
import { createKeyUse } from './key-use.ts'
import { DEFAULT_OWNER, LOCAL_OPERATOR, NO_LIMITS, type Principal, SCOPES } from './principal.ts'

export interface KeyRegistry {
  /** True if requests need a key or another sign-in. It stays true: revoking the last key opens nothing. */
  required(): Promise<boolean>
  /** Undefined for a key that is unknown, wrong, revoked or expired. */
  find(key: string): Promise<Principal | undefined>
  /** The holder of a key by its id, as of the last second. Undefined as for `findHolder`. */
  findById(key_id: string): Promise<Principal | undefined>
  /** The holder of a key by its id, for work that the key allowed earlier. Undefined once the key is unknown, revoked or expired. */
  findHolder(key_id: string | undefined): Promise<Principal | undefined>
  /** Those of the ids whose keys may be used now, by a new read of the records. Never rejects. */
  findCurrent(key_ids: readonly string[]): Promise<ReadonlySet<string>>
}

export interface KeyBookOptions {
  readonly apiKeys: readonly string[]
  /** Callers sign in by other means too: a request without a credential is never let in. */
  readonly hasSignIn?: boolean
  readonly records?: Records | undefined
  /** For expiry. */
  readonly now: () => Date
  /** Monotonic milliseconds; the process's own clock by default. */
  readonly ticks?: () => number
}

const FRESH_MS = 1000
const KEEP = 10_000

export function createKeyBook(options: KeyBookOptions): KeyRegistry {
  const { apiKeys, records, now, ticks = () => performance.now() } = options
  const configured = apiKeys.map(digestOf)
  const recordUse = createKeyUse(records, now)
  const known = new Map<string, { readonly record: KeyRecord | undefined; readonly at: number }>()
  let needed = configured.length > 0 || options.hasSignIn === true
  let looked = Number.NEGATIVE_INFINITY

  async function recordOf(id: string): Promise<KeyRecord | undefined> {
    const at = ticks()
    const cached = known.get(id)
    if (cached && at - cached.at < FRESH_MS) return cached.record
    const record = records && (await getKey(records, id))
    remember(id, record, at)
    return record
  }
  /** Undefined when the records cannot be read. */
  async function readAll(ids: readonly string[]): Promise<ReadonlyMap<string, KeyRecord> | undefined> {
    if (!records || ids.length === 0) return new Map()
    const at = ticks()
    const found = await getKeys(records, ids).catch(() => undefined)
    if (found) for (const id of ids) remember(id, found.get(id), at)
    return found
  }
  function remember(id: string, record: KeyRecord | undefined, at: number): void {
    if (known.size >= KEEP) known.clear()
    known.set(id, { record, at })
  }
  async function required(): Promise<boolean> {
    const at = ticks()
    if (needed || !records || at - looked < FRESH_MS) return needed
    looked = at
    needed = (await listKeys(records)).length > 0
    return needed
  }
  async function findBy(
    key_id: string,
    read: (id: string) => Promise<KeyRecord | undefined>,
  ): Promise<Principal | undefined> {
    const match = configured.find(digest => configuredId(digest) === key_id)
    if (match) return toConfigured(match)
    const record = await read(key_id)
    return record && isCurrent(record, now()) ? toPrincipal(record) : undefined
  }
  return {
    required,
    findById: key_id => findBy(key_id, recordOf),
    async findHolder(key_id) {
      if (key_id === undefined) return (await required()) ? undefined : LOCAL_OPERATOR
      return await findBy(key_id, async id => records && (await getKey(records, id)))
    },
    async findCurrent(key_ids) {
      const own = new Set(configured.map(configuredId))
      const stored = key_ids.filter(id => !own.has(id))
      const found = await readAll(stored)
      // A database that is away says nothing: then the last known record decides, which may expire.
      const isGood = (id: string): boolean => {
        const last = found ? { record: found.get(id) } : known.get(id)
        return !last || (last.record !== undefined && isCurrent(last.record, now()))
      }
      return new Set([...own, ...stored.filter(isGood)])
    },
    async find(key) {
      const candidate = digestOf(key)
      // Compares every key, so that timing reveals nothing about a near match.
      const [match] = configured.filter(digest => timingSafeEqual(digest, candidate))
      if (match) return toConfigured(match)
      const id = keyIdOf(key)
      const record = id === undefined ? undefined : await recordOf(id)
      if (!record || !isUsable(record, key, now())) return undefined
      recordUse(record.id)
      return toPrincipal(record)
    },
  }
}

const configuredId = (digest: Buffer): string => `config-${digest.toString('hex').slice(0, 8)}`

const toConfigured = (digest: Buffer): Principal => ({
  owner: DEFAULT_OWNER,
  key_id: configuredId(digest),
  credential: configuredId(digest),
  scopes: new Set(SCOPES),
  limits: NO_LIMITS,
  models: null,
  workspace: null,
  unbounded: false,
  source: 'key',
})
