/** API keys of an owner. /api/keys */
import { AppError, type Records } from '@toolwire/core'
import { z } from 'zod'
import {
  changeKey,
  createKey,
  getKey,
  isCurrent,
  type KeyRecord,
  listKeys,
  revokeKey,
  rotateKey,
} from '../access/api-key.ts'
import { mustBeGivable } from '../access/key-rules.ts'
import { readKeyUse } from '../access/key-use.ts'
import { holds, type Principal } from '../access/principal.ts'
import { recordAudit } from '../access/record-audit.ts'
import { readSpending } from '../access/spending.ts'
import type { ServerContext } from '../context.ts'
import { reply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { json } from '../openapi/operation.ts'
import {
  ApiKeyChange,
  ApiKeyPage,
  ApiKeySecret,
  ApiKeyView,
  NewApiKey,
  RotateApiKey,
} from '../openapi/shapes/key-shapes.ts'

const tag = 'Sign-in'
const ListQuery = z.object({
  cursor: z
    .string()
    .regex(/^[0-9a-f]{12}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
})

export const keyRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/keys',
    scope: 'admin',
    id: 'listKeys',
    tag,
    summary: 'List the API keys of the owner, by id',
    query: ListQuery,
    errors: ['bad_request', 'not_found'],
    responses: { 200: json(ApiKeyPage, 'Their secrets are not kept. Revoked keys are among them.') },
    handle: async (exchange, context) => {
      const { cursor = '', limit } = exchange.parseQuery()
      const records = recordsOf(context)
      const all = (await listKeys(records)).filter(key => isOf(context.principal(), key) && key.id > cursor)
      const page = all.slice(0, limit)
      return {
        keys: await toViews(records, page),
        next_cursor: all.length > limit ? (page.at(-1)?.id ?? null) : null,
      }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/keys',
    scope: 'admin',
    id: 'createKey',
    tag,
    summary: 'Make an API key',
    description:
      'It has no more than the caller: scopes, life, folder and owner. A caller with limits makes none. After the first key every request needs one.',
    body: NewApiKey,
    errors: ['bad_request', 'not_found'],
    responses: { 201: json(ApiKeySecret, 'The key with its secret.') },
    handle: async (exchange, context) => {
      const principal = context.principal()
      const wanted = { ...defaultsFor(principal), ...exchange.parseBody() }
      mustBeGivable(principal, wanted)
      const records = recordsOf(context)
      const { key, record } = await createKey(records, wanted, context.clock.now())
      await auditKey(context, 'key.created', record)
      return reply(201, { key, ...(await toView(records, record)) })
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/keys/:key',
    scope: 'admin',
    id: 'changeKey',
    tag,
    summary: 'Change the name, scopes, life or limits of a key',
    description: 'Requests and tokens of the key have them within a second.',
    body: ApiKeyChange,
    errors: ['bad_request', 'not_found', 'conflict'],
    responses: { 200: json(ApiKeyView, 'The key.') },
    handle: async (exchange, context) => {
      const change = exchange.parseBody()
      mustBeGivable(context.principal(), change)
      const before = await findKey(context, exchange.params.key)
      if (!isChief({ ...before, ...change }, context.clock.now())) await mustNotBeLast(context, before)
      const record = await changeKey(recordsOf(context), before.id, change)
      if (!record) throw noKey()
      await auditKey(context, 'key.changed', record)
      return await toView(recordsOf(context), record)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/keys/:key/rotate',
    scope: 'admin',
    id: 'rotateKey',
    tag,
    summary: 'Give a key another secret',
    description:
      'Its id, sessions, limits and spending stay. Use it to change secrets; revoke a key that leaked.',
    body: RotateApiKey,
    errors: ['bad_request', 'not_found'],
    responses: { 200: json(ApiKeySecret, 'The key with its new secret.') },
    handle: async (exchange, context) => {
      const { grace_minutes } = exchange.parseBody()
      const before = await findKey(context, exchange.params.key)
      mustBeGivable(context.principal(), before)
      const until = new Date(context.clock.now().getTime() + grace_minutes * 60_000)
      const rotated = await rotateKey(recordsOf(context), before.id, until)
      if (!rotated) throw noKey()
      await auditKey(context, 'key.rotated', rotated.record)
      return { key: rotated.key, ...(await toView(recordsOf(context), rotated.record)) }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/keys/:key',
    scope: 'admin',
    id: 'revokeKey',
    tag,
    summary: 'Revoke a key',
    description:
      'Its requests are refused within a second, and what it and its browser tokens have open ends within two. The last key with the scope `admin` is revoked at the command line alone.',
    errors: ['not_found', 'conflict'],
    responses: { 200: json(ApiKeyView, 'The revoked key; once more, too.') },
    handle: async ({ params }, context) => {
      const before = await findKey(context, params.key)
      await mustNotBeLast(context, before)
      const record = await revokeKey(recordsOf(context), before.id, context.clock.now())
      if (!record) throw noKey()
      if (before.revoked_at === null) await auditKey(context, 'key.revoked', record)
      return await toView(recordsOf(context), record)
    },
  }),
]

function recordsOf({ records }: ServerContext): Records {
  if (!records) throw new AppError('not_found', 'This server keeps no records.')
  return records
}

const isOf = ({ owner, unbounded }: Principal, key: KeyRecord): boolean => unbounded || key.owner === owner

const noKey = (): AppError => new AppError('not_found', 'No such key.')

/** A key of the caller's owner. Throws `not_found`, also for keys of others. */
async function findKey(context: ServerContext, id: string): Promise<KeyRecord> {
  const found = await getKey(recordsOf(context), id)
  if (!found || !isOf(context.principal(), found)) throw noKey()
  return found
}

/** It may make keys now. */
const isChief = (key: KeyRecord, now: Date): boolean => key.scopes.includes('admin') && isCurrent(key, now)

/** Without a key that may make others, only the command line could. Throws `conflict`. */
async function mustNotBeLast(context: ServerContext, key: KeyRecord): Promise<void> {
  const now = context.clock.now()
  if (!isChief(key, now) || context.principal().key_id?.startsWith('config-')) return
  const others = (await listKeys(recordsOf(context))).filter(
    ({ id, owner }) => id !== key.id && owner === key.owner,
  )
  if (!others.some(other => isChief(other, now)))
    throw new AppError(
      'conflict',
      'This is the last key of its owner with the scope admin. Make another one first.',
    )
}

/** Absent fields are those of the caller. */
const defaultsFor = (principal: Principal) => ({
  owner: principal.owner,
  scopes: USUAL_SCOPES.filter(scope => holds(principal, scope)),
  expires_at: (principal.source === 'key' ? principal.expires_at : undefined) ?? null,
  ...principal.limits,
  workspace: principal.workspace,
  budgets: [...(principal.budgets ?? [])],
  models: principal.models === null ? null : [...principal.models],
})
const USUAL_SCOPES = ['read', 'write', 'approve', 'gateway'] as const

const auditKey = (context: ServerContext, action: string, { id, owner, name, scopes }: KeyRecord) =>
  recordAudit(context, action, { details: { id, owner, name, scopes } })

const toView = async (records: Records, record: KeyRecord) => (await toViews(records, [record]))[0]

async function toViews(records: Records, all: readonly KeyRecord[]) {
  const used = await readKeyUse(
    records,
    all.map(({ id }) => id),
  )
  return await Promise.all(
    all.map(async ({ digest: _, previous, ...record }) => ({
      ...record,
      previous_until: previous?.until ?? null,
      last_used_at: used.get(record.id) ?? null,
      spent: await readSpending(records, record.id),
    })),
  )
}
