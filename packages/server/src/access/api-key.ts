/**
 * API keys as they are kept: never the key itself, only its digest. A key is
 * `tw_<id>_<secret>`; 192 random bits need no slow hash.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Records } from '@toolwire/core'
import { z } from 'zod'
import { Budgets } from './budget-period.ts'
import { ModelNames } from './model-names.ts'
import { OwnerName } from './owner-name.ts'
import { type Principal, SCOPES } from './principal.ts'

const KIND = 'api_key'

const limit = z.number().positive().nullable()

const KeyRecord = z.object({
  id: z.string(),
  name: z.string(),
  owner: OwnerName,
  digest: z.string(),
  scopes: z.array(z.enum(SCOPES)).min(1),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  requests_per_minute: limit,
  concurrent: limit,
  budget_usd: limit,
  workspace: z.string().nullable(),
  /** Models that it may use; null for all. */
  models: ModelNames.nullable().default(null),
  budgets: Budgets.default([]),
  /** The secret before the last rotation, which is valid until then. */
  previous: z.object({ digest: z.string(), until: z.string() }).optional(),
})
export type KeyRecord = z.infer<typeof KeyRecord>

export type NewKey = Omit<
  z.input<typeof KeyRecord>,
  'id' | 'digest' | 'created_at' | 'revoked_at' | 'previous'
>

/** Keeps a new key and gives its text, which is nowhere else. */
export async function createKey(
  records: Records,
  wanted: NewKey,
  now: Date,
): Promise<{ readonly key: string; readonly record: KeyRecord }> {
  const id = randomBytes(6).toString('hex')
  const key = newSecret(id)
  const record = KeyRecord.parse({
    ...wanted,
    id,
    digest: digestOf(key).toString('hex'),
    created_at: now.toISOString(),
    revoked_at: null,
  })
  await records.put(KIND, id, record)
  return { key, record }
}

const newSecret = (id: string): string => `tw_${id}_${randomBytes(24).toString('base64url')}`

/** Oldest first is not promised: ids are random. */
export async function listKeys(records: Records): Promise<readonly KeyRecord[]> {
  return (await records.list(KIND)).map(({ value }) => KeyRecord.parse(value))
}

export async function getKey(records: Records, id: string): Promise<KeyRecord | undefined> {
  const found = KeyRecord.safeParse(await records.get(KIND, id))
  return found.success ? found.data : undefined
}

/** Those of the ids that exist, by id. */
export async function getKeys(
  records: Records,
  ids: readonly string[],
): Promise<ReadonlyMap<string, KeyRecord>> {
  const found = (await records.getMany(KIND, ids)).map(({ value }) => KeyRecord.safeParse(value))
  return new Map(found.flatMap(({ data }) => (data ? [[data.id, data]] : [])))
}

/** Undefined for an unknown id. A key that is revoked already keeps its date. */
export async function revokeKey(records: Records, id: string, now: Date): Promise<KeyRecord | undefined> {
  if (!(await getKey(records, id))) return undefined
  const changed = await records.update(KIND, id, value => {
    const record = KeyRecord.parse(value)
    return { ...record, revoked_at: record.revoked_at ?? now.toISOString() }
  })
  return KeyRecord.parse(changed)
}

/** Undefined for an unknown id. */
export async function changeKey(
  records: Records,
  id: string,
  change: Partial<NewKey>,
): Promise<KeyRecord | undefined> {
  if (!(await getKey(records, id))) return undefined
  return KeyRecord.parse(
    await records.update(KIND, id, value => KeyRecord.parse({ ...KeyRecord.parse(value), ...change })),
  )
}

/** Another secret for the same key, so that its sessions and spending stay. The one before is valid until `until`. */
export async function rotateKey(
  records: Records,
  id: string,
  until: Date,
): Promise<{ readonly key: string; readonly record: KeyRecord } | undefined> {
  if (!(await getKey(records, id))) return undefined
  const key = newSecret(id)
  const changed = await records.update(KIND, id, value => {
    const record = KeyRecord.parse(value)
    const previous = { digest: record.digest, until: until.toISOString() }
    return { ...record, digest: digestOf(key).toString('hex'), previous }
  })
  return { key, record: KeyRecord.parse(changed) }
}

/** Deletes every key and returns those that were there. Servers that start from now on ask for none. */
export async function removeKeys(records: Records): Promise<readonly KeyRecord[]> {
  const all = await listKeys(records)
  for (const { id } of all) await records.remove(KIND, id)
  return all
}

/** The id that a key's text names; undefined when it is not of our making. */
export const keyIdOf = (key: string): string | undefined => /^tw_([0-9a-f]{12})_[\w-]{32}$/.exec(key)?.[1]

/** True if the text is this key and the key is currently valid. */
export function isUsable(record: KeyRecord, key: string, now: Date): boolean {
  const digest = digestOf(key)
  const isSame = (hex: string): boolean => timingSafeEqual(Buffer.from(hex, 'hex'), digest)
  const { previous } = record
  const isPrevious =
    previous !== undefined && isSame(previous.digest) && Date.parse(previous.until) > now.getTime()
  return (isSame(record.digest) || isPrevious) && isCurrent(record, now)
}

/** Neither revoked nor expired. */
export function isCurrent({ revoked_at, expires_at }: KeyRecord, now: Date): boolean {
  return revoked_at === null && (expires_at === null || Date.parse(expires_at) > now.getTime())
}

export const toPrincipal = (record: KeyRecord): Principal => ({
  owner: record.owner,
  key_id: record.id,
  credential: record.id,
  scopes: new Set(record.scopes),
  limits: {
    requests_per_minute: record.requests_per_minute,
    concurrent: record.concurrent,
    budget_usd: record.budget_usd,
  },
  budgets: record.budgets,
  models: record.models,
  workspace: record.workspace,
  unbounded: false,
  source: 'key',
  ...(record.expires_at === null ? {} : { expires_at: record.expires_at }),
})

export const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest()
