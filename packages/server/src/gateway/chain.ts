/** Hashes of conversations as clients see them: equal hashes mean that every message was equal. Pure. */
import { createHash } from 'node:crypto'

/** The start of a chain: conversations of different callers or server tools never meet. */
export const startChain = (...facts: readonly string[]): string => sha256(JSON.stringify(facts))

/** The chain after further messages. `extend(extend(h, a), b)` is `extend(h, [...a, ...b])`. */
export const extendChain = (chain: string, visible: readonly string[]): string =>
  visible.reduce((hash, message) => sha256(`${hash}\n${message}`), chain)

/** A fingerprint of anything that is JSON. */
export const fingerprint = (value: unknown): string => sha256(JSON.stringify(value))

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url')
