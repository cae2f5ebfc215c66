/** Checks the depth of JSON from its bytes before parsing: deep data would overflow every stack. */

/** Deeper than anything that means something. */
export const MAX_NESTING = 512

const QUOTE = 34
const BACKSLASH = 92

export interface NestingMeter {
  /** The depth after these bytes; they may be cut anywhere. */
  readonly add: (byte: number) => number
  readonly reset: () => void
}

export function createNestingMeter(): NestingMeter {
  let depth = 0
  let inText = false
  let isEscaped = false
  return {
    add(byte) {
      if (isEscaped) {
        isEscaped = false
        return depth
      }
      if (byte === QUOTE) inText = !inText
      else if (inText) isEscaped = byte === BACKSLASH
      else if (byte === 91 || byte === 123) depth += 1
      else if (byte === 93 || byte === 125) depth -= 1
      return depth
    },
    reset() {
      depth = 0
      inText = false
      isEscaped = false
    },
  }
}

/** True if these bytes of JSON can be parsed safely. */
export function isShallow(bytes: Uint8Array): boolean {
  const meter = createNestingMeter()
  for (const byte of bytes) if (meter.add(byte) > MAX_NESTING) return false
  return true
}
