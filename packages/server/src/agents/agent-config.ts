/** The settings of an agent, as requests write them and versions keep them. Pure. */
import { createHash } from 'node:crypto'
import { AppError, EFFORTS } from '@toolwire/core'
import { z } from 'zod'
import { SessionContextBody, SystemBody } from '../sessions/session-prompt.ts'

const isText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
const text = (most: number) => z.string().max(most).refine(isText, { message: 'not text' })
const name = (most: number) => text(most).min(1)
const limit = z.number().positive()
const count = z.number().int().positive()

const AgentName = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/, {
  message: 'must be 1 to 64 characters of a-z, 0-9 and -',
})

const fields = {
  description: text(1_024),
  /** As in a new session: replaces the server's prompt; none at all when empty. */
  system: SystemBody.refine(isText, { message: 'not text' }),
  append_system: text(100_000),
  context: SessionContextBody,
  model: name(256),
  fallback_models: z.array(name(256)).max(10),
  effort: z.enum(EFFORTS),
  tools: z.array(name(128)).max(256),
  permission_mode: z.enum(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions']),
  limits: z.strictObject({
    max_turns: count.optional(),
    max_cost_usd: limit.optional(),
    max_total_tokens: count.optional(),
    max_duration_ms: count.optional(),
  }),
}
const key = name(64)
const value = text(512)
const MAX_METADATA = 16
const fits = (map: object): boolean => Object.keys(map).length <= MAX_METADATA
const tooMany = { message: `at most ${MAX_METADATA} entries` }

const AgentConfigShape = z.strictObject({
  ...fields,
  metadata: z.record(key, value).refine(fits, tooMany),
})

/** One version. Absent fields are the server's. */
export const AgentConfig = AgentConfigShape.partial()
export type AgentConfig = z.output<typeof AgentConfig>

const nullable = {
  description: fields.description.nullish(),
  system: fields.system.nullish(),
  append_system: fields.append_system.nullish(),
  context: fields.context.nullish(),
  model: fields.model.nullish(),
  fallback_models: fields.fallback_models.nullish(),
  effort: fields.effort.nullish(),
  tools: fields.tools.nullish(),
  permission_mode: fields.permission_mode.nullish(),
  limits: fields.limits.nullish(),
  metadata: z.record(key, value.nullable()).nullish(),
}

/** Absent keeps a field, null clears it; `metadata` merges by key. */
export const AgentChange = z.strictObject(nullable)
export type AgentChange = z.output<typeof AgentChange>

export const NewAgent = z.strictObject({ name: AgentName, ...nullable })
/** `if_version`: the version that is changed. */
export const AgentUpdate = z.strictObject({ if_version: count.optional(), ...nullable })

/** The settings after a change. Throws `bad_request` when merged metadata has too many entries. */
export function changeConfig(before: AgentConfig, change: AgentChange): AgentConfig {
  const { metadata, ...rest } = change
  const merged = { ...before, ...withoutAbsent(rest) }
  const entries = metadata === undefined ? before.metadata : { ...before.metadata, ...(metadata ?? {}) }
  const all = { ...merged, metadata: metadata === null ? null : withoutNull(entries ?? {}) }
  const made = AgentConfig.safeParse(
    withoutNull({ ...all, metadata: isEmpty(all.metadata) ? null : all.metadata }),
  )
  if (made.success) return made.data
  const [issue] = made.error.issues
  throw new AppError('bad_request', `${issue?.path.join('.')}: ${issue?.message}`)
}

const isEmpty = (map: object | null): boolean => map === null || Object.keys(map).length === 0

const withoutAbsent = <T extends object>(map: T): Partial<T> =>
  Object.fromEntries(Object.entries(map).filter(([, one]) => one !== undefined)) as Partial<T>

const withoutNull = (map: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(map).filter(([, one]) => one !== null && one !== undefined))

/** The same for settings that differ in the order of their fields alone. */
export const configHash = (config: AgentConfig): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(config)))
    .digest('hex')

function sorted(input: unknown): unknown {
  if (Array.isArray(input)) return input.map(sorted)
  if (typeof input !== 'object' || input === null) return input
  const entries = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([field, child]) => [field, sorted(child)]))
}
