/** Hashes of conversations as clients see them: equal hashes mean that every message was equal. */
import { createHash } from 'node:crypto'
import { createYield } from '@toolwire/core'

/** The start of a chain: conversations of different callers or server tools never meet. */
export const startChain = (...facts: readonly string[]): string => sha256(JSON.stringify(facts))

/**
 * The chain after further messages. `extend(extend(h, a), b)` is `extend(h, [...a, ...b])`. A long conversation is hashed
 * with other work in between.
 */
export async function extendChain(
  chain: string,
  visible: readonly (string | (() => string))[],
): Promise<string> {
  const yieldOften = createYield()
  let hash = chain
  for (const message of visible) {
    const text = typeof message === 'string' ? message : message()
    await yieldOften()
    hash = sha256(`${hash}\n${text}`)
    await yieldOften()
  }
  return hash
}

/** A fingerprint of anything that is JSON. */
export const fingerprint = (value: unknown): string => sha256(JSON.stringify(value))

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url')
