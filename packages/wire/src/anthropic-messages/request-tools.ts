/** Tools of a Messages request: the client's own, and those that the provider runs itself. Pure but for the warnings. */
import { AppError, type ToolSpec } from '@toolwire/core'
import { z } from 'zod'
import type { ModelFamily } from '../gateway/model-family.ts'
import { type SearchService, searchOption, toHostedSearch } from '../gateway/search-request.ts'
import type { Warnings } from '../gateway/warning.ts'
import { ClientTools } from '../shared/client-tools.ts'
import { parseBody } from '../shared/parse-body.ts'
import type { MessagesRequest } from './request-schema.ts'

export interface RequestTools {
  readonly client_tools: readonly ToolSpec[]
  /** As their API defines them, under the name that models know. */
  readonly options: Readonly<Record<string, unknown>>
  /** Every name that a choice may give, with the name that the model knows. */
  readonly names: ReadonlyMap<string, string>
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

interface ToolReading {
  readonly family: ModelFamily
  /** Searches the web for the model of the request. */
  readonly service: SearchService | undefined
  readonly warnings: Warnings
}

/** Throws `bad_request` for tools of a provider that does not answer this request. */
export function readTools(
  tools: MessagesRequest['tools'],
  { family, service, warnings }: ToolReading,
): RequestTools {
  const given = tools ?? []
  const isOwn = (tool: GivenTool): boolean => !tool.type || tool.type === 'custom'
  const own = given.filter(isOwn)
  // Its own provider gets the search as it was declared.
  const isPassed = service === undefined ? family === 'anthropic' : service.by === 'provider'
  const searches = isPassed && family === 'anthropic' ? [] : given.filter(isSearch)
  const [searched] = searches
  const provider_tools = given.filter(tool => !isOwn(tool) && !searches.includes(tool))
  const [foreign] = provider_tools
  if (foreign && family !== 'anthropic')
    throw new AppError(
      'bad_request',
      `tools: ${JSON.stringify(foreign.type)} is run by Anthropic's own models alone; other models take tools of type custom`,
    )
  for (const tool of own) warnIgnored(tool, warnings)
  const { tools: client_tools } = parseBody(Given, { tools: own })
  const search =
    searched &&
    toHostedSearch(
      searched,
      {
        service,
        api: 'anthropic',
        at: `tools.${given.indexOf(searched)}`,
        taken: client_tools.map(tool => tool.name),
      },
      warnings,
    )
  const eager = own.flatMap(tool => (tool['eager_input_streaming'] === true ? [tool.name ?? ''] : []))
  return {
    client_tools,
    names: new Map(
      given
        .filter(tool => search !== undefined || !searches.includes(tool))
        .flatMap(({ name }) => {
          if (name === undefined) return []
          const known = searched?.name === name ? (search?.tool ?? name) : name
          return [[name, known] as const]
        }),
    ),
    options: {
      ...searchOption(search),
      ...(provider_tools.length > 0 ? { provider_tools: provider_tools.map(withoutMark) } : {}),
      ...(eager.length > 0 ? { eager_input_streaming: eager } : {}),
    },
  }
}

type GivenTool = NonNullable<MessagesRequest['tools']>[number]

const isSearch = ({ type }: GivenTool): boolean => /^web_search_\d{8}$/.test(type ?? '')

/** Marks are set for the request as a whole. */
function withoutMark({ cache_control: _, ...tool }: Readonly<Record<string, unknown>>): object {
  return tool
}

function warnIgnored(tool: Readonly<Record<string, unknown>>, warnings: Warnings): void {
  for (const [name, value] of Object.entries(tool))
    if (!KNOWN.has(name) && value !== null && value !== undefined && value !== false)
      warnings.add('field_ignored', `tools: ${name} of ${JSON.stringify(tool['name'])} is ignored.`)
}
