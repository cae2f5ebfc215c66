/**
 * Input that a server of the newer era needs before it can answer a call. Folders are answered here; the rest
 * becomes questions for the user.
 */
import type { InputRequest, InputRequiredResult } from '@modelcontextprotocol/client'
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

interface RoundContext {
  readonly connection: Connection
  readonly context: ToolContext
}

/** Pure. */
export function fulfilRound(
  { inputRequests = {}, requestState }: InputRequiredResult,
  round: RoundContext,
): Round {
  const requests = Object.entries(inputRequests)
  if (requests.length > MAX_REQUESTS) return refused(`It asked for ${requests.length} things at once.`)
  const open: { key: string; asked: Elicitation }[] = []
  const responses: Record<string, unknown> = {}
  for (const [key, request] of requests) {
    const fulfilled = fulfil(request, round)
    if ('refusal' in fulfilled) return refused(fulfilled.refusal)
    if ('asked' in fulfilled) open.push({ key, asked: fulfilled.asked })
    else responses[key] = fulfilled.response
  }
  return { ok: true, open, responses, request_state: requestState }
}

type RoundReply =
  | { readonly response: unknown }
  | { readonly asked: Elicitation }
  | { readonly refusal: string }

function fulfil(request: InputRequest, { connection, context }: RoundContext): RoundReply {
  const { config } = connection
  switch (request.method) {
    case 'elicitation/create': {
      const asked = parseElicitation(request.params)
      return asked ? { asked } : { refusal: 'It asked a question that cannot be shown.' }
    }
    case 'roots/list':
      if (config.roots === false) return { refusal: NO_ROOTS }
      return { response: { roots: context.roots.slice(0, 1).map(path => ({ uri: toRootUri(path) })) } }
    case 'sampling/createMessage': {
      const asked = config.sampling ? parseSampling(request.params) : undefined
      return asked ? { asked } : { refusal: config.sampling ? NOT_OFFERED : NOT_ALLOWED }
    }
    default:
      return { refusal: 'It asked for something of an unknown kind.' }
  }
}

const refused = (message: string): Round & { readonly ok: false } => ({ ok: false, message })

const NO_ROOTS = 'It asked for folders, which its configuration does not offer.'
const NOT_OFFERED = 'It wanted a model to write something that is not offered: only text, without tools.'
const NOT_ALLOWED = 'It wanted a model to write for it, which is not allowed here.'
