/**
 * Opaque data of Chat Completions: signatures of Gemini in `extra_content`, `reasoning_details` of OpenRouter. They belong
 * to the provider and model that wrote them and go back to no other. Pure.
 */
import type { Opaque } from '@toolwire/core'
import { asString, isObject, type JsonObject } from '@toolwire/core'
import type { AssistantTurnPart } from '../shared/turns.ts'

export interface ChatOrigin {
  readonly provider: string
  readonly model: string
  /** Rejects calls of the history that carry no signature. */
  readonly needsSignatures: boolean
  /** Decides if a part of the history goes back; the same function for every request, which caches rely on. */
  readonly keep: (part: AssistantTurnPart) => boolean
}

export interface OriginOptions {
  readonly provider: string
  readonly model: string
  readonly baseUrl?: string | undefined
}

export function createChatOrigin({ provider, model, baseUrl }: OriginOptions): ChatOrigin {
  const host = baseUrl === undefined ? '' : (URL.parse(baseUrl)?.hostname ?? '')
  return {
    provider,
    model,
    needsSignatures: /(^|\.)googleapis\.com$/.test(host),
    keep: part => isReturnable(part, provider),
  }
}

/** A message that holds only thinking says nothing to this API; thinking rides along with text or calls. */
function isReturnable(part: AssistantTurnPart, provider: string): boolean {
  if (part.type === 'thinking') return part.provider === provider && part.thinking !== ''
  return part.type === 'text' || part.type === 'refusal' || part.type === 'tool_use'
}

/** Fields of a message or call that its provider attached. */
interface AttachedFields {
  /** Of the call itself. */
  readonly extra_content?: JsonObject
  /** Of the whole message. */
  readonly message?: { readonly reasoning_details?: readonly unknown[]; readonly extra_content?: JsonObject }
}

export const toOpaque = ({ provider, model }: ChatOrigin, data: AttachedFields): Opaque => ({
  provider,
  model,
  data,
})

/** The fields that came with the part, if they may go back. */
function attachedTo({ opaque }: AssistantTurnPart, origin: ChatOrigin): AttachedFields {
  if (opaque?.provider !== origin.provider || !isObject(opaque.data)) return {}
  if (opaque.model !== undefined && opaque.model !== origin.model) return {}
  return opaque.data
}

/** Calls of other providers carry none; this value has the service accept them. */
const UNSIGNED: JsonObject = { google: { thought_signature: 'skip_thought_signature_validator' } }

/** `extra_content` of a call. */
export function callExtras(
  part: AssistantTurnPart,
  origin: ChatOrigin,
  isFirst: boolean,
): { readonly extra_content?: JsonObject } {
  const { extra_content } = attachedTo(part, origin)
  if (isObject(extra_content)) return { extra_content }
  return origin.needsSignatures && isFirst ? { extra_content: UNSIGNED } : {}
}

/** Fields of the message, from all of its parts. */
export function messageExtras(parts: readonly AssistantTurnPart[], origin: ChatOrigin): JsonObject {
  const fields = parts.map(part => attachedTo(part, origin).message).filter(isObject)
  const reasoning_details = fields.flatMap(({ reasoning_details: list }) => (Array.isArray(list) ? list : []))
  const extra_content = fields.map(field => field['extra_content']).find(isObject)
  return {
    ...(reasoning_details.length > 0 ? { reasoning_details } : {}),
    ...(extra_content === undefined ? {} : { extra_content }),
  }
}

/** More pieces than any model sends; a list that is not whole is worth nothing. */
const MAX_DETAILS = 1000

/** Adds pieces of `reasoning_details`: those of one index and type are one entry. Undefined when there are too many. */
export function addDetails(
  known: readonly JsonObject[],
  pieces: readonly JsonObject[],
): readonly JsonObject[] | undefined {
  const list = [...known]
  for (const piece of pieces) {
    const at = list.findLastIndex(
      entry => entry['type'] === piece['type'] && entry['index'] === piece['index'],
    )
    const isMore =
      at !== -1 && (piece['index'] !== undefined || at === list.length - 1) && isSameId(list[at], piece)
    if (isMore) list[at] = join(list[at] ?? {}, piece)
    else list.push(piece)
  }
  return list.length > MAX_DETAILS ? undefined : list
}

const isSameId = (a: JsonObject | undefined, b: JsonObject): boolean =>
  (a?.['id'] ?? undefined) === undefined || (b['id'] ?? undefined) === undefined || a?.['id'] === b['id']

const GROWING = ['text', 'summary', 'data'] as const

function join(a: JsonObject, b: JsonObject): JsonObject {
  const grown = GROWING.flatMap(name => {
    const texts = [asString(a[name]), asString(b[name])]
    return texts.some(text => text !== undefined) ? [[name, texts.join('')] as const] : []
  })
  const present = Object.entries(b).filter(([, value]) => value !== null && value !== undefined)
  return { ...a, ...Object.fromEntries(present), ...Object.fromEntries(grown) }
}
