/**
 * What a server of the newer era needs before it can answer a call. What we know is answered here
 * (folders); what only a person knows, or may allow, becomes questions.
 */
import type { InputRequiredResult } from '@modelcontextprotocol/client'
import type { ToolContext } from '@toolwire/core'
import type { Connection } from './connection.ts'
import { type Elicitation, parseElicitation } from './elicitation.ts'
import { parseSampling } from './sampling.ts'
import { toRootUri } from './source.ts'

const MAX_REQUESTS = 20

export type Round =
  | {
      readonly ok: true
      readonly open: readonly { readonly key: string; readonly asked: Elicitation }[]
      readonly responses: Readonly<Record<string, unknown>>
      readonly request_state: string | undefined
    }
  | { readonly ok: false; readonly message: string }

/** Pure. */
export function fulfilRound(
  { inputRequests = {}, requestState }: InputRequiredResult,
  { connection, context }: { readonly connection: Connection; readonly context: ToolContext },
): Round {
  const requests = Object.entries(inputRequests)
  if (requests.length > MAX_REQUESTS) return refused(`It asked for ${requests.length} things at once.`)
  const open: { key: string; asked: Elicitation }[] = []
  const responses: Record<string, unknown> = {}
  for (const [key, request] of requests) {
    switch (request.method) {
      case 'elicitation/create': {
        const asked = parseElicitation(request.params)
        if (!asked) return refused('It asked a question that cannot be shown.')
        open.push({ key, asked })
        break
      }
      case 'roots/list':
        responses[key] = { roots: context.roots.slice(0, 1).map(path => ({ uri: toRootUri(path) })) }
        break
      case 'sampling/createMessage': {
        if (!connection.config.sampling) return refused(NOT_ALLOWED)
        const asked = parseSampling(request.params)
        if (!asked)
          return refused(
            'It wanted a model to write something that is not offered: only text, without tools.',
          )
        open.push({ key, asked })
        break
      }
      default:
        return refused('It asked for something of an unknown kind.')
    }
  }
  return { ok: true, open, responses, request_state: requestState }
}

const refused = (message: string): Round & { readonly ok: false } => ({ ok: false, message })

const NOT_ALLOWED = 'It wanted a model to write for it, which is not allowed here.'
