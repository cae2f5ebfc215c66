/** Two previews of one block that wait for the same commit become one. */
import type { EventOf, SessionEvent } from '@toolwire/core'

type Delta = EventOf<'block.delta'>
const FIELDS = ['text', 'input_text', 'thinking'] as const

/** The merged event, or undefined when both must stay: other block, other field, or an empty delta. */
export function mergeDelta(last: SessionEvent, event: SessionEvent): Delta | undefined {
  if (last.type !== 'block.delta' || event.type !== 'block.delta') return undefined
  if (last.block_id !== event.block_id) return undefined
  for (const field of FIELDS) {
    const before = last[field]
    const more = event[field]
    if (before && more) return { ...last, [field]: before + more }
  }
  return undefined
}
