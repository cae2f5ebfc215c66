/** Usage of model requests, in the fields of the event that closes their turn. Pure. */
import { type EventOf, type ModelPart, sumUsage } from '@toolwire/core'

/** Parts that report the usage of one request. */
export type Ending = Extract<ModelPart, { type: 'end' | 'error' }>
export type Retry = Extract<ModelPart, { type: 'retry' }>

type RequestUsage = Pick<EventOf<'message.aborted'>, 'usage' | 'cost_usd' | 'request_id'>

/** Empty if the provider reported no usage. */
export function usageOf(ending: Ending | Retry): RequestUsage {
  const { usage, cost_usd } = ending
  if (usage === undefined) return {}
  const request_id = ending.type === 'end' ? ending.request_id : ending.error.request_id
  return {
    usage,
    ...(cost_usd === undefined ? {} : { cost_usd }),
    ...(request_id === undefined ? {} : { request_id }),
  }
}

/** Of several requests together. The cost is known when each one's is; the id is the last one's. */
export function usedByAll(endings: readonly (Ending | Retry)[]): RequestUsage {
  const told = endings.map(usageOf).filter(used => used.usage !== undefined)
  return told.reduce<RequestUsage>((sum, used) => (sum.usage ? add(sum, used) : used), {})
}

function add(a: RequestUsage, b: RequestUsage): RequestUsage {
  const { cost_usd: _, ...last } = b
  const isKnown = a.cost_usd !== undefined && b.cost_usd !== undefined
  return {
    ...last,
    ...(a.usage && b.usage ? { usage: sumUsage(a.usage, b.usage) } : {}),
    ...(isKnown ? { cost_usd: (a.cost_usd ?? 0) + (b.cost_usd ?? 0) } : {}),
  }
}
