/** The parts that a page has of a message, by the message that it sent. They decide what is sent, never what happened. */
import type { HeldMessage } from './ai-sdk-state.ts'

const MAX_PARTS = 20_000

interface SentPart {
  readonly type?: unknown
  readonly state?: unknown
  readonly toolCallId?: unknown
  readonly providerExecuted?: unknown
  readonly approval?: { readonly id?: unknown } | null
}

/** Undefined for what is not a message of the assistant with an id. Never throws. */
export function decodeHeldMessage(message: unknown): HeldMessage | undefined {
  const { id, parts } = Object(message) as { readonly id?: unknown; readonly parts?: unknown }
  if (typeof id !== 'string' || !Array.isArray(parts)) return undefined
  const steps: { texts: number; reasonings: number }[] = []
  const calls = new Map<string, { isEnded: boolean; approval_id?: string }>()
  for (const part of parts.slice(0, MAX_PARTS).map(one => Object(one) as SentPart)) {
    const step = steps.at(-1)
    if (part.type === 'step-start') steps.push({ texts: 0, reasonings: 0 })
    else if (part.type === 'text' && step) step.texts += 1
    else if (part.type === 'reasoning' && step) step.reasonings += 1
    else if (typeof part.toolCallId === 'string') calls.set(part.toolCallId, toHeldCall(part))
  }
  return { id, steps, calls }
}

function toHeldCall({ state, providerExecuted, approval }: SentPart) {
  const approval_id = approval?.id
  return {
    // An output that the page gave itself may not be the one that was recorded.
    isEnded: providerExecuted === true && /^output-/.test(String(state)),
    ...(typeof approval_id === 'string' ? { approval_id } : {}),
  }
}
