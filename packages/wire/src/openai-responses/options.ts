/** Settings of a Responses request by the names that models know, and what the response repeats of it. Pure but for the warnings. */
import { AppError, type HostedSearch, type ToolChoice, type ToolSpec } from '@toolwire/core'
import type { DecodeOptions } from '../gateway/decode-options.ts'
import { settleForced } from '../gateway/forced-tool.ts'
import { modelFamily } from '../gateway/model-family.ts'
import type { Warnings } from '../gateway/warning.ts'
import type { ResponsesRequest } from './request-schema.ts'
import { type ClientToolset, isItem, isSearchType, type ToolNames, toNames } from './tools.ts'

interface SettingsOptions extends DecodeOptions {
  /** The web search of the response. */
  readonly chosen: HostedSearch | undefined
}

export interface ResponsesSettings {
  readonly client_tools: readonly ToolSpec[]
  readonly options: Readonly<Record<string, unknown>>
}

/** Throws `bad_request` for settings that contradict each other. */
export function toSettings(
  body: ResponsesRequest,
  toolset: ClientToolset,
  decode: SettingsOptions,
  warnings: Warnings,
): ResponsesSettings {
  const { tools, choice: asked, brought } = chooseTools(body.tool_choice, toolset, decode.chosen)
  const effort = body.reasoning?.effort
  const family = modelFamily(body.model ?? decode.model ?? '')
  const thinks = family === 'anthropic' && effort && effort !== 'none'
  const choice = thinks ? settleForced(asked, 'reasoning_effort', decode, warnings) : asked
  return {
    client_tools: tools,
    options: defined({
      ...(choice ? { tool_choice: choice } : {}),
      tools_brought: brought,
      parallel_tool_calls: body.parallel_tool_calls,
      max_tokens: body.max_output_tokens ? Math.max(1, Math.round(body.max_output_tokens)) : undefined,
      temperature: body.temperature,
      top_p: body.top_p,
      reasoning_effort: effort,
      reasoning: toReasoning(body.reasoning),
      response_format: toResponseFormat(body.text?.format),
      verbosity: body.text?.verbosity,
      service_tier: body.service_tier === 'auto' ? undefined : body.service_tier,
      user: body.user,
      safety_identifier: body.safety_identifier,
      prompt_cache_key: body.prompt_cache_key,
      prompt_cache_retention: body.prompt_cache_retention,
      prompt_cache_options: body.prompt_cache_options,
      compaction: COMPACTION[body.truncation ?? 'absent'],
    }),
  }
}

/** As it was sent: a provider of this API knows more of it than the effort. */
function toReasoning(sent: ResponsesRequest['reasoning']): Readonly<Record<string, unknown>> | undefined {
  const known = Object.entries(sent ?? {}).filter(([name, value]) => REASONING.has(name) && value !== null)
  return known.length > 0 ? Object.fromEntries(known) : undefined
}

/** Without the field, the setting of the server applies. */
const COMPACTION = { disabled: 'off', auto: 'on', absent: undefined } as const

const REASONING: ReadonlySet<string> = new Set(['effort', 'summary', 'context', 'mode', 'generate_summary'])

interface ChosenTools {
  readonly tools: readonly ToolSpec[]
  readonly choice: ToolChoice | undefined
  /** Names of all tools of a request that allows only some of them. */
  readonly brought?: readonly string[]
}

function chooseTools(
  choice: ResponsesRequest['tool_choice'],
  toolset: ClientToolset,
  search: HostedSearch | undefined,
): ChosenTools {
  const { specs } = toolset
  if (choice === undefined || choice === null) return { tools: specs, choice: undefined }
  if (typeof choice === 'string')
    return { tools: specs, choice: { type: choice === 'required' ? 'any' : choice } }
  const names = toNames(toolset)
  if (choice.type === 'allowed_tools') return allowTools(choice, specs, names)
  if (isSearchType(choice.type) && search) return { tools: specs, choice: toSearchChoice(search) }
  const isOwn = /^(local_shell|shell|apply_patch)$/.test(choice.type)
  const named = isOwn ? choice.type : choice.name
  const name = named === undefined ? undefined : names(choice.namespace, named)
  if ((choice.type !== 'function' && choice.type !== 'custom' && !isOwn) || name === undefined)
    throw new AppError(
      'bad_request',
      `tool_choice: this server does not offer ${JSON.stringify(choice.type)}`,
    )
  if (!specs.some(tool => tool.name === name))
    throw new AppError('bad_request', `tool_choice: no tool has the name ${JSON.stringify(name)}`)
  return { tools: specs, choice: { type: 'tool', name } }
}

/** A provider's own search has no name to force it by. */
const toSearchChoice = ({ tool }: HostedSearch): ToolChoice =>
  tool === undefined ? { type: 'any' } : { type: 'tool', name: tool }

function allowTools(
  choice: Readonly<Record<string, unknown>>,
  specs: readonly ToolSpec[],
  toName: ToolNames,
): ChosenTools {
  const listed = Array.isArray(choice['tools']) ? choice['tools'].filter(isItem) : []
  const names = listed.map(({ namespace, name, type }) =>
    toName(typeof namespace === 'string' ? namespace : undefined, String(name ?? type)),
  )
  return {
    tools: specs.filter(tool => names.includes(tool.name)),
    choice: { type: choice['mode'] === 'required' ? 'any' : 'auto' },
    brought: specs.map(tool => tool.name),
  }
}

/** In the form of Chat Completions, which every model reads. */
function toResponseFormat(format: Readonly<Record<string, unknown>> | null | undefined): unknown {
  if (!format || format['type'] === 'text') return undefined
  if (format['type'] === 'json_object') return { type: 'json_object' }
  const { type: _, ...json_schema } = format
  return { type: 'json_schema', json_schema: { name: 'answer', ...json_schema } }
}

const defined = (options: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== null))
