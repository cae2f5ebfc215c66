/** Tools of a Messages request: the client's own, and those that the provider runs itself. Pure but for the warnings. */
import { AppError, type ToolSpec } from '@toolwire/core'
import { z } from 'zod'
import type { ModelFamily } from '../gateway/model-family.ts'
import type { Warnings } from '../gateway/warning.ts'
import { ClientTools } from '../shared/client-tools.ts'
import { parseBody } from '../shared/parse-body.ts'
import type { MessagesRequest } from './request-schema.ts'

export interface RequestTools {
  readonly client_tools: readonly ToolSpec[]
  /** As their API defines them, under the name that models know. */
  readonly options: Readonly<Record<string, unknown>>
  /** Every name that a choice may give. */
  readonly names: readonly string[]
}

const KNOWN: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'strict',
  'eager_input_streaming',
  'cache_control',
])

const Given = z.object({ tools: ClientTools })

/** Throws `bad_request` for tools of a provider that does not answer this request. */
export function readTools(
  tools: MessagesRequest['tools'],
  family: ModelFamily,
  warnings: Warnings,
): RequestTools {
  const given = tools ?? []
  const isOwn = (tool: (typeof given)[number]): boolean => !tool.type || tool.type === 'custom'
  const own = given.filter(isOwn)
  const provider_tools = given.filter(tool => !isOwn(tool))
  const [foreign] = provider_tools
  if (foreign && family !== 'anthropic')
    throw new AppError(
      'bad_request',
      `tools: ${JSON.stringify(foreign.type)} is run by Anthropic's own models alone; other models take tools of type custom`,
    )
  for (const tool of own) warnIgnored(tool, warnings)
  const { tools: client_tools } = parseBody(Given, { tools: own })
  const eager = own.flatMap(tool => (tool['eager_input_streaming'] === true ? [tool.name ?? ''] : []))
  return {
    client_tools,
    names: given.flatMap(tool => tool.name ?? []),
    options: {
      ...(provider_tools.length > 0 ? { provider_tools: provider_tools.map(withoutMark) } : {}),
      ...(eager.length > 0 ? { eager_input_streaming: eager } : {}),
    },
  }
}

/** Marks are set for the request as a whole. */
function withoutMark({ cache_control: _, ...tool }: Readonly<Record<string, unknown>>): object {
  return tool
}

function warnIgnored(tool: Readonly<Record<string, unknown>>, warnings: Warnings): void {
  for (const [name, value] of Object.entries(tool))
    if (!KNOWN.has(name) && value !== null && value !== undefined && value !== false)
      warnings.add('field_ignored', `tools: ${name} of ${JSON.stringify(tool['name'])} is ignored.`)
}
