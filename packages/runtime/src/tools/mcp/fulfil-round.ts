/**
 * What a server of the newer era needs before it can answer a call. What we know is answered here
 * (folders, and models where that is configured); what only a person knows becomes questions.
 */
import type { CreateMessageRequest, InputRequiredResult } from '@modelcontextprotocol/client'
import type { ToolContext } from '@toolwire/core'
import type { Connection } from './connection.ts'
import { type Elicitation, parseElicitation } from './elicitation.ts'
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

/** Never throws. */
export async function fulfilRound(
  { inputRequests = {}, requestState }: InputRequiredResult,
  { connection, context }: { readonly connection: Connection; readonly context: ToolContext },
): Promise<Round> {
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
        const sampled = await sampleFor(connection, request.params, context.signal)
        if (!sampled.ok) return sampled
        responses[key] = sampled.result
        break
      }
      default:
        return refused('It asked for something of an unknown kind.')
    }
  }
  return { ok: true, open, responses, request_state: requestState }
}

const refused = (message: string): Round & { readonly ok: false } => ({ ok: false, message })

async function sampleFor(
  { sample, name }: Connection,
  params: CreateMessageRequest['params'],
  signal: AbortSignal,
): Promise<{ readonly ok: true; readonly result: unknown } | (Round & { readonly ok: false })> {
  if (!sample) return refused('It wanted a model to write for it, which is not allowed here.')
  try {
    return { ok: true, result: await sample(params, { server: name, signal }) }
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error))
  }
}
