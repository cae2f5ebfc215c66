/** Pending items as questions to the client's user, and the answers as ours. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ElicitRequestFormParams,
  type InputRequest,
  inputRequired,
  inputResponse,
  type McpRequestContext,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { ItemAnswer, PendingItem } from '@toolwire/core'
import { escapeControls } from '@toolwire/core/parts'
import { z } from 'zod'

export interface ElicitSupport {
  readonly form: boolean
  readonly url: boolean
}

/** A longer call cannot be shown whole: only the inbox may decide on it. */
const MAX_SHOWN = 4_000

const Capabilities = z.looseObject({
  elicitation: z.looseObject({ form: z.unknown().optional(), url: z.unknown().optional() }).optional(),
})

/** The client's declaration: with each request in the newer era, at the start in the older. */
export function canElicit(
  era: McpRequestContext['era'],
  server: Server,
  { mcpReq }: ServerContext,
): ElicitSupport {
  const declared =
    era === 'modern' ? Object(mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities()
  const { elicitation } = Capabilities.safeParse(declared).data ?? {}
  if (!elicitation) return { form: false, url: false }
  // Without modes it means forms.
  const url = elicitation.url !== undefined
  return { form: elicitation.form !== undefined || !url, url }
}

/** Undefined for an item that only the inbox can settle. */
export function elicitationOf(
  item: PendingItem,
  support: ElicitSupport,
  mayApprove: boolean,
): InputRequest | undefined {
  if (item.kind === 'client_tool') return undefined
  if (item.kind === 'approval') return mayApprove && support.form ? toApproval(item) : undefined
  const message = item.message ?? item.name
  if (item.url !== undefined)
    return support.url ? inputRequired.elicitUrl({ message, url: item.url }) : undefined
  const requestedSchema = item.schema === undefined ? TEXT_FORM : toFlatForm(item.schema)
  return support.form && requestedSchema ? inputRequired.elicit({ message, requestedSchema }) : undefined
}

type Form = ElicitRequestFormParams['requestedSchema']

const TEXT_FORM: Form = {
  type: 'object',
  properties: { answer: { type: 'string', title: 'Answer' } },
  required: ['answer'],
}

function toApproval({ name, input_text, message }: PendingItem): InputRequest | undefined {
  if (input_text.length > MAX_SHOWN) return undefined
  const lines = [`Allow ${name}?`, ...(message === undefined ? [] : [message]), escapeControls(input_text)]
  return inputRequired.elicit({
    message: lines.join('\n'),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          oneOf: [
            { const: 'approve', title: 'Approve' },
            { const: 'deny', title: 'Deny' },
          ],
        },
      },
      required: ['decision'],
    },
  })
}

const Flat = z.looseObject({
  type: z.literal('object'),
  properties: z.record(
    z.string(),
    z.looseObject({ type: z.enum(['string', 'number', 'integer', 'boolean', 'array']) }),
  ),
  required: z.array(z.string()).optional(),
})

/** The protocol's forms hold single values and choices. */
function toFlatForm(schema: Readonly<Record<string, unknown>>): Form | undefined {
  const parsed = Flat.safeParse(schema)
  if (!parsed.success) return undefined
  const { properties, required } = parsed.data
  const isFlat = Object.values(properties).every(
    one => one.type !== 'array' || 'enum' in Object(one['items']) || 'anyOf' in Object(one['items']),
  )
  return isFlat
    ? { type: 'object', properties: properties as Form['properties'], ...(required ? { required } : {}) }
    : undefined
}

/** A response to `elicitation/create`. */
interface FormResponse {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Readonly<Record<string, unknown>> | undefined
}

/** `dismissed`: the user decided nothing, and the item stays open. Undefined: no response, or one that fits no item. */
export function readResponse(
  item: PendingItem,
  responses: Readonly<Record<string, unknown>> | undefined,
): ItemAnswer | 'dismissed' | undefined {
  const response = inputResponse(responses, item.id)
  return response.kind === 'elicit' ? toAnswer(item, response) : undefined
}

export function toAnswer(
  { kind, schema, url }: PendingItem,
  { action, content = {} }: FormResponse,
): ItemAnswer | 'dismissed' | undefined {
  if (action === 'cancel') return 'dismissed'
  if (action === 'decline') return { decision: 'denied' }
  if (kind === 'approval') {
    const { decision } = content
    if (decision === 'approve') return { decision: 'approved' }
    return decision === 'deny' ? { decision: 'denied' } : undefined
  }
  if (url !== undefined) return { decision: 'approved' }
  if (schema !== undefined) return { decision: 'approved', answer_text: JSON.stringify(content) }
  const { answer } = content
  return typeof answer === 'string' ? { decision: 'approved', answer_text: answer } : undefined
}
