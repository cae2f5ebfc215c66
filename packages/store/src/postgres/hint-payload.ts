/** Notifications as text: who sends, then sessions and heads. PostgreSQL takes less than 8,000 bytes in one. */
import type { Seq } from '@toolwire/core'

type HeadChanges = readonly (readonly [session: string, head: Seq])[]

const MAX_BYTES = 7900

/** As many payloads as it takes. A session whose id alone is too long becomes a payload that says "anything". */
export function encodeHints(from: string, moved: HeadChanges): readonly string[] {
  if (moved.length === 0) return [JSON.stringify([from, []])]
  const payloads: string[] = []
  let part: (readonly [string, Seq])[] = []
  const room = MAX_BYTES - Buffer.byteLength(JSON.stringify([from, []]))
  let bytes = 0
  function flush(): void {
    if (part.length > 0) payloads.push(JSON.stringify([from, part]))
    part = []
    bytes = 0
  }
  for (const one of moved) {
    const size = Buffer.byteLength(JSON.stringify(one)) + 1
    if (size > room) {
      payloads.push(JSON.stringify([from]))
      continue
    }
    if (bytes + size > room) flush()
    part.push(one)
    bytes += size
  }
  flush()
  return payloads
}

/** `moved` is undefined when anything may have moved: also for a payload that is not one of ours. */
export function decodeHints(payload: string): {
  readonly from: string
  readonly moved: HeadChanges | undefined
} {
  try {
    const value: unknown = JSON.parse(payload)
    if (!Array.isArray(value)) return { from: '', moved: undefined }
    const [from, moved]: unknown[] = value
    return { from: String(from), moved: Array.isArray(moved) ? (moved as HeadChanges) : undefined }
  } catch {
    return { from: '', moved: undefined }
  }
}
