/** Requested features that a Messages request omits, found by comparing the two. Pure. */
import type { ModelRequest, Warning } from '@toolwire/core'
import { asNumber, asString, isObject, type JsonObject } from '@toolwire/core'
import type { Capability } from '../capabilities.ts'
import { ignored, ignoredSettings, systemWarnings, toolWarnings } from '../shared/setting-warnings.ts'
import { toStrictSchema } from '../shared/strict-schema.ts'
import { toWireSchema } from '../shared/tool-schema.ts'
import type { MessagesBody } from './schema.ts'

export function anthropicWarnings(
  request: ModelRequest,
  body: MessagesBody,
  capability: Capability | undefined,
): readonly Warning[] {
  const options = request.options ?? {}
  const sent: JsonObject = { ...body }
  return [
    ...systemWarnings(
      request,
      body.messages.flatMap(said => (said.role === 'system' ? said.content : [])).length,
    ),
    ...sampling(options, body),
    ...ignoredSettings(
      ['top_k', 'seed', 'logit_bias', 'presence_penalty', 'frequency_penalty', 'verbosity'],
      options,
      sent,
    ),
    ...thinking(options, body, capability),
    ...output(options, body),
    ...toolWarnings(
      request,
      schema => capability?.strict !== false && toStrictSchema(toWireSchema(schema).schema) !== undefined,
    ),
  ]
}

function sampling(options: JsonObject, body: MessagesBody): readonly Warning[] {
  const temperature = asNumber(options['temperature'])
  const isClamped =
    temperature !== undefined && body.temperature !== undefined && body.temperature < temperature
  const clamped: Warning = {
    code: 'temperature_clamped',
    message: 'temperature: this model takes 0 to 1; 1 is used.',
  }
  const either: Warning = {
    code: 'setting_ignored',
    message: 'top_p: this model takes temperature or top_p; temperature is used.',
  }
  const hasBoth = asNumber(options['top_p']) !== undefined && body.temperature !== undefined
  return [
    ...ignoredSettings(['temperature'], options, { ...body }),
    ...(isClamped ? [clamped] : []),
    ...(hasBoth ? [either] : ignoredSettings(['top_p'], options, { ...body })),
  ]
}

const DROPPED: Warning = {
  code: 'thinking_dropped',
  message: 'thinking: this turn continues without thinking.',
}

const KEPT: Warning = {
  code: 'thinking_kept',
  message: 'thinking: this model always thinks; it cannot be switched off.',
}

/** For some models an effort is a budget: there may be no room for it, or no thinking to continue. */
function effortWarnings(
  options: JsonObject,
  body: MessagesBody,
  capability: Capability | undefined,
): readonly Warning[] {
  const effort = asString(options['reasoning_effort'])
  if (effort === undefined || body.thinking) return []
  if (effort === 'none') return capability?.thinking === 'always' ? [KEPT] : []
  return capability?.thinking === 'budget' && capability.effort !== false ? [DROPPED] : []
}

function thinking(
  options: JsonObject,
  body: MessagesBody,
  capability: Capability | undefined,
): readonly Warning[] {
  const asked = isObject(options['thinking']) ? options['thinking'] : undefined
  if (!asked) return effortWarnings(options, body, capability)
  const sent = body.thinking
  if (!sent && asked['type'] === 'disabled') return [KEPT]
  if (!sent) return [DROPPED]
  if (asked['type'] === 'enabled' && sent['type'] === 'adaptive')
    return [
      {
        code: 'budget_ignored',
        message: 'thinking.budget_tokens: this model measures its thinking itself; the budget is ignored.',
      },
    ]
  const budget = asNumber(asked['budget_tokens'])
  if (budget === undefined || sent['budget_tokens'] === budget) return []
  return [
    {
      code: 'budget_lowered',
      message: `thinking.budget_tokens: ${String(sent['budget_tokens'])} is used, to leave room for the answer.`,
    },
  ]
}

function output(options: JsonObject, body: MessagesBody): readonly Warning[] {
  const effort = asString(options['effort']) ?? asString(options['reasoning_effort'])
  const hasEffort = body.output_config?.['effort'] !== undefined || body.thinking !== undefined
  const format = isObject(options['response_format']) ? options['response_format']['type'] : undefined
  const tier = asString(options['service_tier'])
  const isForm = format === 'json_schema' && body.output_config?.['format'] === undefined
  return [
    ...(isForm ? [formWarning(body)] : []),
    ...(effort !== undefined && effort !== 'none' && !hasEffort ? [ignored('effort')] : []),
    ...(format === 'json_object'
      ? [
          {
            code: 'json_in_words',
            message: 'response_format: this model is asked for JSON in words; it is not enforced.',
          },
        ]
      : []),
    ...(tier !== undefined && tier !== 'auto' && tier !== 'default' && body.service_tier === undefined
      ? [ignored('service_tier')]
      : []),
  ]
}

/** The model has no setting for the form of its answer. */
function formWarning(body: MessagesBody): Warning {
  const choice = body.tool_choice?.type
  if (choice === 'any' || choice === 'tool')
    return {
      code: 'json_by_tool',
      message: 'response_format: this model gives its answer as the arguments of a tool, which is not shown.',
    }
  return {
    code: 'json_in_words',
    message: 'response_format: this model is asked for JSON in words; it is not enforced.',
  }
}
