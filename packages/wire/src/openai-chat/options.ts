/** Settings of a Chat Completions request by the names that models know. What will be ignored is said. Pure but for the warnings. */
import { AppError, type ToolChoice, type ToolSpec } from '@toolwire/core'
import type { DecodeOptions } from '../gateway/decode-options.ts'
import { settleForced } from '../gateway/forced-tool.ts'
import type { ModelFamily } from '../gateway/model-family.ts'
import { toStops } from '../gateway/stops.ts'
import type { Warnings } from '../gateway/warning.ts'
import type { ChatRequest } from './request-schema.ts'

export interface ChatSettings {
  readonly client_tools: readonly ToolSpec[]
  readonly options: Readonly<Record<string, unknown>>
}

/** Throws `bad_request` for settings that contradict each other. */
export function toSettings(
  body: ChatRequest,
  family: ModelFamily,
  decode: DecodeOptions,
  warnings: Warnings,
): ChatSettings {
  const { tools, choice: asked, brought } = toTools(body)
  const effort = body.reasoning_effort
  const thinks = family === 'anthropic' && effort && effort !== 'none'
  const choice = thinks ? settleForced(asked, 'reasoning_effort', decode, warnings) : asked
  const max = body.max_completion_tokens ?? body.max_tokens
  warnIgnored(body, family, warnings)
  return {
    client_tools: tools,
    options: defined({
      ...(choice ? { tool_choice: choice } : {}),
      // No provider gets it: the log keeps what was there to choose from.
      tools_brought: brought,
      parallel_tool_calls: body.functions ? false : body.parallel_tool_calls,
      max_tokens: max === undefined || max === null ? undefined : Math.max(1, Math.round(max)),
      temperature: body.temperature,
      top_p: body.top_p,
      stop: toStops(body.stop, 'stop', warnings),
      reasoning_effort: body.reasoning_effort,
      response_format: body.response_format?.type === 'text' ? undefined : body.response_format,
      presence_penalty: body.presence_penalty,
      frequency_penalty: body.frequency_penalty,
      logit_bias: body.logit_bias,
      seed: body.seed,
      service_tier: body.service_tier,
      verbosity: body.verbosity,
      user: body.user,
    }),
  }
}

function toTools(body: ChatRequest): {
  readonly tools: readonly ToolSpec[]
  readonly choice: ToolChoice | undefined
  /** Every tool of a request that allows only some of them. */
  readonly brought?: readonly string[]
} {
  if (body.tools && body.functions)
    throw new AppError('bad_request', 'functions: a request has tools or functions, not both')
  const tools = body.tools ?? body.functions ?? []
  const given = body.tool_choice
  if (typeof given === 'object' && given?.type === 'allowed_tools') {
    const names = given.allowed_tools.tools.map(one => one.function.name)
    const { mode } = given.allowed_tools
    return {
      tools: tools.filter(tool => names.includes(tool.name)),
      choice: { type: mode === 'required' ? 'any' : 'auto' },
      brought: tools.map(tool => tool.name),
    }
  }
  const choice = toChoice(given) ?? toLegacyChoice(body.function_call)
  if (choice?.type === 'tool' && !tools.some(tool => tool.name === choice.name))
    throw new AppError('bad_request', `tool_choice: no tool has the name ${JSON.stringify(choice.name)}`)
  return { tools, choice }
}

function toChoice(given: ChatRequest['tool_choice']): ToolChoice | undefined {
  if (given === 'required') return { type: 'any' }
  if (given === 'auto' || given === 'none') return { type: given }
  return given?.type === 'function' ? { type: 'tool', name: given.function.name } : undefined
}

function toLegacyChoice(given: ChatRequest['function_call']): ToolChoice | undefined {
  if (given === 'auto' || given === 'none') return { type: given }
  return given ? { type: 'tool', name: given.name } : undefined
}

const OPENAI_ONLY = ['presence_penalty', 'frequency_penalty', 'logit_bias', 'seed'] as const
const NOWHERE = ['prediction', 'audio'] as const

function warnIgnored(body: ChatRequest, family: ModelFamily, warnings: Warnings): void {
  const names = [...NOWHERE, ...(family === 'openai' ? [] : OPENAI_ONLY)]
  for (const name of names)
    if (body[name] !== undefined && body[name] !== null)
      warnings.add('setting_ignored', `${name}: this model takes no such setting; it is ignored.`)
  if (family !== 'anthropic') return
  const { temperature, top_p } = body
  if (typeof temperature === 'number' && temperature > 1)
    warnings.add('temperature_clamped', 'temperature: this model takes 0 to 1; 1 is used.')
  if (typeof temperature === 'number' && typeof top_p === 'number')
    warnings.add('setting_ignored', 'top_p: this model takes temperature or top_p; temperature is used.')
  if (body.response_format?.type === 'json_object')
    warnings.add(
      'json_in_words',
      'response_format: this model is asked for JSON in words; it is not enforced.',
    )
}

const defined = (options: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== null))
