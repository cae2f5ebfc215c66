/**
 * Settings of a request in the Messages API's words. Takes the names that either vendor's
 * clients use; drops what the model is known to refuse. Pure.
 */
import { asNumber, asString, isObject, type JsonObject } from '@toolwire/core'
import type { Capability } from '../capabilities.ts'
import { toStrictSchema } from '../shared/strict-schema.ts'
import type { MessagesBody } from './schema.ts'

type Settings = Pick<
  MessagesBody,
  | 'thinking'
  | 'output_config'
  | 'temperature'
  | 'top_p'
  | 'top_k'
  | 'stop_sequences'
  | 'metadata'
  | 'service_tier'
>

interface Limits {
  readonly max_tokens: number
  /** False when the history cannot be continued with a thinking budget. */
  readonly canThink: boolean
}

export function toSettings(
  options: JsonObject,
  capability: Capability | undefined,
  limits: Limits,
): Settings {
  const thinking = toThinking(options, capability, limits)
  const user = asString(options['user'])
  const metadata =
    isObject(options['metadata']) && asString(options['metadata']['user_id'])
      ? options['metadata']
      : undefined
  const tier = asString(options['service_tier'])
  return {
    ...(thinking ? { thinking } : {}),
    ...toOutputConfig(options, capability),
    ...toSampling(options, capability, thinking),
    ...toStops(options),
    ...(metadata
      ? { metadata: { user_id: metadata['user_id'] } }
      : user
        ? { metadata: { user_id: user } }
        : {}),
    ...(tier === 'auto' || tier === 'standard_only' ? { service_tier: tier } : {}),
  }
}

function toSampling(
  options: JsonObject,
  capability: Capability | undefined,
  thinking: JsonObject | undefined,
): Pick<Settings, 'temperature' | 'top_p' | 'top_k'> {
  if (capability?.sampling === false) return {}
  const temperature = asNumber(options['temperature'])
  const top_p = asNumber(options['top_p'])
  const top_k = asNumber(options['top_k'])
  // A thinking budget only works at the default temperature.
  if (thinking && thinking['type'] !== 'disabled') return {}
  return {
    ...(temperature === undefined ? {} : { temperature: Math.min(1, Math.max(0, temperature)) }),
    // Several models refuse both at once; temperature is the one people mean.
    ...(top_p === undefined || temperature !== undefined ? {} : { top_p }),
    ...(top_k === undefined ? {} : { top_k }),
  }
}

function toStops(options: JsonObject): Pick<Settings, 'stop_sequences'> {
  const given = options['stop_sequences'] ?? options['stop']
  const list = (Array.isArray(given) ? given : [given]).filter(
    (stop): stop is string => typeof stop === 'string' && stop.trim() !== '',
  )
  return list.length > 0 ? { stop_sequences: list } : {}
}

/** Tokens of thinking by effort, for models that take a budget. */
export const BUDGETS: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: 65_536,
}

const effortOf = (options: JsonObject): string | undefined =>
  asString(options['effort']) ?? asString(options['reasoning_effort'])

function toThinking(
  options: JsonObject,
  capability: Capability | undefined,
  limits: Limits,
): JsonObject | undefined {
  const asked = isObject(options['thinking']) ? options['thinking'] : fromEffort(options, capability)
  if (!asked) return undefined
  const isAdaptive = capability?.thinking === 'adaptive' || capability?.thinking === 'always'
  if (asked['type'] === 'disabled' && capability?.thinking === 'always') return undefined
  if (asked['type'] !== 'enabled') return asked
  // Models that measure their thinking themselves refuse a budget.
  if (isAdaptive) return { type: 'adaptive' }
  const budget = Math.min(asNumber(asked['budget_tokens']) ?? 8192, limits.max_tokens - 1)
  if (!limits.canThink || budget < 1024) return undefined
  return { ...asked, budget_tokens: budget }
}

function fromEffort(options: JsonObject, capability: Capability | undefined): JsonObject | undefined {
  const effort = asString(options['reasoning_effort'])
  if (effort === undefined || capability?.thinking === 'none') return undefined
  if (effort === 'none') return { type: 'disabled' }
  const budget = BUDGETS[effort]
  if (capability?.thinking === 'budget')
    return budget ? { type: 'enabled', budget_tokens: budget } : undefined
  return { type: 'adaptive' }
}

const EFFORTS: Readonly<Record<string, string>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
}

function toOutputConfig(
  options: JsonObject,
  capability: Capability | undefined,
): Pick<Settings, 'output_config'> {
  const given = isObject(options['output_config']) ? options['output_config'] : {}
  const effort = EFFORTS[effortOf(options) ?? '']
  const format = toFormat(options['response_format'])
  const config = {
    ...(effort && capability?.effort !== false ? { effort } : {}),
    ...(format ? { format } : {}),
    ...given,
  }
  return Object.keys(config).length > 0 ? { output_config: config } : {}
}

/** OpenAI's `response_format` with a schema; the schema-less kind has no counterpart. */
function toFormat(given: unknown): JsonObject | undefined {
  if (!isObject(given) || given['type'] !== 'json_schema' || !isObject(given['json_schema'])) return undefined
  const schema = given['json_schema']['schema']
  return isObject(schema) ? { type: 'json_schema', schema: toStrictSchema(schema) ?? schema } : undefined
}
