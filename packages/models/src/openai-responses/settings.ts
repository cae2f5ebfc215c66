/** Request settings in the words of the Responses API. Pure. */
import type { Warning } from '@toolwire/core'
import { asString, isObject, type JsonObject } from '@toolwire/core'
import { ignoredSettings } from '../shared/setting-warnings.ts'
import type { ResponsesRules } from './rules.ts'

const SAMPLING = ['temperature', 'top_p'] as const
const PASSED = [
  'service_tier',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'truncation',
  'metadata',
  'max_tool_calls',
] as const
/** Settings of other APIs that this one does not have, and those that a model may not accept. */
const WARNED = [
  ...SAMPLING,
  'top_k',
  'stop',
  'stop_sequences',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'thinking',
] as const

export function toSettings(
  options: JsonObject,
  rules: Pick<ResponsesRules, 'capability' | 'isOfficial'>,
): JsonObject {
  const names: readonly string[] = rules.capability?.sampling === false ? PASSED : [...SAMPLING, ...PASSED]
  const passed = names.flatMap(name =>
    options[name] === undefined || options[name] === null ? [] : [[name, options[name]] as const],
  )
  return {
    ...Object.fromEntries(passed),
    ...toReasoning(options, rules),
    ...toText(options),
    // Fields that a particular server needs beyond the standard.
    ...(isObject(options['extra_body']) ? options['extra_body'] : {}),
  }
}

export const settingWarnings = (options: JsonObject, sent: JsonObject): readonly Warning[] =>
  ignoredSettings(WARNED, options, sent)

function toReasoning(
  options: JsonObject,
  { capability, isOfficial }: Pick<ResponsesRules, 'capability' | 'isOfficial'>,
): JsonObject {
  if (capability?.effort === false) return {}
  const value = isObject(options['reasoning']) ? options['reasoning'] : {}
  const config = isObject(options['output_config']) ? options['output_config'] : {}
  const effort =
    asString(options['reasoning_effort']) ??
    asString(options['effort']) ??
    asString(config['effort']) ??
    asString(value['effort'])
  const summary = value['summary'] ?? (isOfficial ? 'auto' : undefined)
  const reasoning = {
    ...value,
    ...(effort === undefined ? {} : { effort }),
    ...(summary === undefined || summary === null ? {} : { summary }),
  }
  return Object.keys(reasoning).length > 0 ? { reasoning } : {}
}

function toText(options: JsonObject): JsonObject {
  const value = isObject(options['text']) ? options['text'] : {}
  const config = isObject(options['output_config']) ? options['output_config'] : {}
  const format = toFormat(options['response_format']) ?? fromOutputFormat(config['format'])
  const verbosity = asString(options['verbosity'])
  const text = {
    ...value,
    ...(format === undefined ? {} : { format }),
    ...(verbosity === undefined ? {} : { verbosity }),
  }
  return Object.keys(text).length > 0 ? { text } : {}
}

/** `response_format` of Chat Completions: the schema is nested there. */
function toFormat(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined
  if (value['type'] !== 'json_schema') return { type: value['type'] }
  const form = isObject(value['json_schema']) ? value['json_schema'] : {}
  return { type: 'json_schema', ...form, name: form['name'] ?? 'answer', strict: form['strict'] ?? false }
}

/** `output_config.format` of the Messages API. */
function fromOutputFormat(value: unknown): JsonObject | undefined {
  if (!isObject(value) || value['type'] !== 'json_schema' || !isObject(value['schema'])) return undefined
  return { type: 'json_schema', name: 'answer', schema: value['schema'], strict: false }
}
