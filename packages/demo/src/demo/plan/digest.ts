/** Everything that looks random in a scripted answer: derived from the request, so that it repeats. */
import { createHash } from 'node:crypto'
import type { ModelRequest } from '@toolwire/core'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Same request, same digest. Key order counts, as it does on the wire. */
export function digestRequest(request: ModelRequest): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex')
}

/** An id of a provider's form: `prefix`, `01`, then 22 characters derived from digest and label. */
export function derivedId(prefix: string, digest: string, label: string): string {
  const bytes = createHash('sha256').update(`${digest}:${label}`).digest()
  let id = ''
  for (const byte of bytes.subarray(0, 22)) id += ALPHABET[byte % ALPHABET.length]
  return `${prefix}01${id}`
}

/** An opaque thinking signature: base64, long enough that clients cannot mistake it for text. */
export function derivedSignature(digest: string, label: string): string {
  const half = (salt: string) => createHash('sha512').update(`${digest}:${label}:${salt}`).digest()
  return Buffer.concat([half('a'), half('b')]).toString('base64')
}

/** Numbers in [0, 1), the same ones for the same seed. */
export function seededNumbers(seed: string): () => number {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0)
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
