/** What a Messages request leaves out of what was asked, found by comparing the two. Pure. */
import type { ModelRequest, Warning } from '@toolwire/core'
import type { Capability } from '../capabilities.ts'
import { asNumber, asString, isObject, type JsonObject } from '../shared/json.ts'
import { ignored, ignoredSettings, toolWarnings } from '../shared/setting-warnings.ts'
import type { MessagesBody } from './schema.ts'

export function anthropicWarnings(
  request: ModelRequest,
  body: MessagesBody,
  capability: Capability | undefined,
): readonly Warning[] {
  const options = request.options ?? {}
  const sent: JsonObject = { ...body }
  return [
    ...sampling(options, body),
    ...ignoredSettings(
      ['top_k', 'seed', 'logit_bias', 'presence_penalty', 'frequency_penalty'],
      options,
      sent,
    ),
    ...thinking(options, body),
    ...output(options, body),
    ...toolWarnings(request, capability?.strict !== false),
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

function thinking(options: JsonObject, body: MessagesBody): readonly Warning[] {
  const asked = isObject(options['thinking']) ? options['thinking'] : undefined
  if (!asked) return []
  const sent = body.thinking
  if (!sent && asked['type'] === 'disabled')
    return [
      { code: 'thinking_kept', message: 'thinking: this model always thinks; it cannot be switched off.' },
    ]
  if (!sent) return [{ code: 'thinking_dropped', message: 'thinking: this turn goes on without thinking.' }]
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
  return [
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
