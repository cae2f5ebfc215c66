/** The two ends of a stream of bytes, in memory that does not grow with the stream. */
import { safeHead, safeTail } from '@toolwire/core'

export interface ByteEnds {
  readonly add: (chunk: Uint8Array) => void
  /** Everything, or both ends when there was more. A character that a cut went through is left out. */
  readonly text: () => string
  /** Nothing was dropped. */
  readonly isWhole: () => boolean
}

/** Bytes of UTF-8 for one unit of a string, at most. */
const WIDEST = 3

/** Holds `first` characters from the front and `last` from the back. Room is taken as it is needed. */
export function createByteEnds(first: number, last: number): ByteEnds {
  const head = first * WIDEST
  let front = Buffer.alloc(0)
  let used = 0
  const back = createRing(last * WIDEST)
  return {
    add(chunk) {
      const fits = Math.min(chunk.length, head - used)
      if (fits > 0) {
        if (used + fits > front.length) front = grown(front, used + fits, head)
        front.set(chunk.subarray(0, fits), used)
        used += fits
      }
      if (fits < chunk.length) back.add(chunk.subarray(fits))
    },
    text() {
      const start = front.subarray(0, used)
      const rest = back.bytes()
      if (!back.dropped()) return Buffer.concat([start, rest]).toString('utf8')
      return (
        safeHead(wholeStart(start).toString('utf8'), first) + safeTail(wholeEnd(rest).toString('utf8'), last)
      )
    },
    isWhole: () => !back.dropped(),
  }
}

function grown(buffer: Buffer, needed: number, most: number): Buffer<ArrayBuffer> {
  const larger = Buffer.alloc(Math.min(most, Math.max(needed, buffer.length * 2)))
  buffer.copy(larger)
  return larger
}

export interface Ring {
  readonly add: (chunk: Uint8Array) => void
  /** The held bytes, oldest first. A copy. */
  readonly bytes: () => Buffer
  readonly dropped: () => boolean
  readonly clear: () => void
}

/** The last `size` bytes. */
export function createRing(size: number): Ring {
  let ring = Buffer.alloc(0)
  let at = 0
  let held = 0
  let dropped = false

  function put(chunk: Uint8Array): void {
    const first = Math.min(chunk.length, ring.length - at)
    ring.set(chunk.subarray(0, first), at)
    ring.set(chunk.subarray(first), 0)
    at = (at + chunk.length) % ring.length
    held = Math.min(ring.length, held + chunk.length)
  }

  return {
    add(chunk) {
      if (chunk.length === 0) return
      if (held + chunk.length > size) dropped = true
      // Below its full size it has never wrapped: what is held begins at its start.
      if (ring.length < size && held + chunk.length > ring.length) {
        ring = grown(ring, held + chunk.length, size)
        at = held % ring.length
      }
      put(chunk.length > size ? chunk.subarray(chunk.length - size) : chunk)
    },
    bytes() {
      if (held < ring.length) return Buffer.from(ring.subarray(at - held, at))
      return Buffer.concat([ring.subarray(at), ring.subarray(0, at)])
    },
    dropped: () => dropped,
    clear() {
      at = 0
      held = 0
      dropped = false
    },
  }
}

const isInside = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Without the incomplete character at the end. */
function wholeStart(bytes: Uint8Array): Buffer {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return buffer.subarray(0, bytes.length - openAtEnd(bytes))
}

/** Without the rest of a character that began before. */
export function wholeEnd(bytes: Uint8Array): Buffer {
  let from = 0
  while (from < 3 && isInside(bytes[from])) from++
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, bytes.length - from)
}

/** Number of trailing bytes of an incomplete UTF-8 character: 0 to 3. */
export function openAtEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isInside(byte)) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? back : 0
  }
  return 0
}
