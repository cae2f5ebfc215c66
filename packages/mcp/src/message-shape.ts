/** Checks the shape of JSON from its bytes, as they come and before parsing: what reads it later takes time by its values. */

/** Deeper than anything that means something; deep data would overflow every stack. */
export const MAX_NESTING = 512
/** Values of all kinds in one message, keys of objects not counted. */
export const MAX_VALUES = 30_000

export interface ShapeCheck {
  /** Returns a description of the problem after these bytes; they may be cut anywhere. */
  readonly add: (bytes: Uint8Array) => string | undefined
  /** Another message begins. */
  readonly reset: () => void
}

const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92

export function createShapeCheck(): ShapeCheck {
  let depth = 0
  let values = 1
  let inText = false
  let isEscaped = false

  function addByte(byte: number): void {
    if (isEscaped) isEscaped = false
    else if (byte === QUOTE) inText = !inText
    else if (inText) isEscaped = byte === BACKSLASH
    else if (byte === COMMA) values += 1
    else if (byte === 91 || byte === 123) {
      depth += 1
      values += 1
    } else if (byte === 93 || byte === 125) depth -= 1
  }

  return {
    add(bytes) {
      for (const byte of bytes) {
        addByte(byte)
        if (depth > MAX_NESTING) return `nested deeper than ${MAX_NESTING}`
        if (values > MAX_VALUES) return `made of more than ${MAX_VALUES} values`
      }
      return undefined
    },
    reset() {
      depth = 0
      values = 1
      inText = false
      isEscaped = false
    },
  }
}
