/** Completes the parts of every provider: our tool names, warnings, cost and request id; the key never leaves. */
import type { Failure, ModelPart, Warning } from '@toolwire/core'
import { requestId } from './attempt.ts'
import type { ProviderResponse } from './provider-response.ts'
import { type Price, toCost } from './usage.ts'

export interface PartContext {
  readonly provider: string
  readonly warnings: readonly Warning[]
  /** The name of a tool as the request brought it. */
  readonly toolName: (wireName: string) => string
  /** May depend on what the provider reports at the end. */
  readonly price: (details?: unknown) => Price | undefined
  /** The failure without any secret that was sent. */
  readonly conceal: (failure: Failure) => Failure
}

export function finishPart(part: ModelPart, response: ProviderResponse, context: PartContext): ModelPart {
  const { provider, warnings, toolName, price, conceal } = context
  if (part.type === 'start') return warnings.length > 0 ? { ...part, warnings } : part
  if (part.type === 'block-start' && part.kind === 'tool_use' && part.tool)
    return { ...part, tool: { id: part.tool.id, name: toolName(part.tool.name) } }
  if (part.type === 'end')
    return { ...part, ...costOfPart(part, price(part.stop_details)), ...requestId(response) }
  if (part.type === 'error')
    return {
      ...part,
      ...toCost(part.usage, price()),
      error: conceal({ ...requestId(response), provider, ...part.error }),
    }
  return part
}

/** A cost that the provider reported stays. */
const costOfPart = (
  part: Extract<ModelPart, { type: 'end' }>,
  price: Price | undefined,
): { readonly cost_usd?: number } => (part.cost_usd === undefined ? toCost(part.usage, price) : {})
