/** Completes the parts of every provider: our tool names, warnings, cost and request id; the key never leaves. */
import type { ModelPart, Warning } from '@toolwire/core'
import { requestId } from './attempt.ts'
import { withoutSecret } from './failure.ts'
import type { ProviderResponse } from './provider-response.ts'
import { type Price, toCost } from './usage.ts'

export interface PartContext {
  readonly provider: string
  readonly warnings: readonly Warning[]
  /** The name of a tool as the request brought it. */
  readonly toolName: (wireName: string) => string
  /** May depend on what the provider reports at the end. */
  readonly price: (details?: unknown) => Price | undefined
  readonly secret: string | undefined
}

export function finishPart(part: ModelPart, response: ProviderResponse, context: PartContext): ModelPart {
  const { provider, warnings, toolName, price, secret } = context
  if (part.type === 'start') return warnings.length > 0 ? { ...part, warnings } : part
  if (part.type === 'block-start' && part.kind === 'tool_use' && part.tool)
    return { ...part, tool: { id: part.tool.id, name: toolName(part.tool.name) } }
  if (part.type === 'end')
    return { ...part, ...toCost(part.usage, price(part.stop_details)), ...requestId(response) }
  if (part.type === 'error')
    return {
      ...part,
      ...toCost(part.usage, price()),
      error: withoutSecret({ ...requestId(response), provider, ...part.error }, secret),
    }
  return part
}
