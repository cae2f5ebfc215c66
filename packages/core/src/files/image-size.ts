/** Width and height by the header of an image, without decoding it. */

/** More are not decoded anywhere: a small file may claim to be enormous. */
export const MAX_PIXELS = 100_000_000

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Undefined when `head` does not hold it. Pure. */
export function imageSizeOf(head: Uint8Array, media_type: string): ImageSize | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  try {
    return READERS[media_type]?.(view)
  } catch {
    // The header is longer than what is here.
    return undefined
  }
}

export const isTooManyPixels = ({ width, height }: ImageSize): boolean => width * height > MAX_PIXELS

const READERS: Readonly<Record<string, (view: DataView) => ImageSize | undefined>> = {
  'image/png': view =>
    view.getUint32(12) === IHDR ? { width: view.getUint32(16), height: view.getUint32(20) } : undefined,
  'image/gif': view => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  'image/webp': readWebp,
  'image/jpeg': readJpeg,
}

const IHDR = 0x49484452
const VP8 = 0x56503820
const VP8L = 0x5650384c
const VP8X = 0x56503858

function readWebp(view: DataView): ImageSize | undefined {
  const triple = (at: number): number => view.getUint16(at, true) + (view.getUint8(at + 2) << 16)
  switch (view.getUint32(12)) {
    case VP8:
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    case VP8L: {
      const bits = view.getUint32(21, true)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case VP8X:
      return { width: triple(24) + 1, height: triple(27) + 1 }
    default:
      return undefined
  }
}

/** Segments up to the one that begins a frame. */
function readJpeg(view: DataView): ImageSize | undefined {
  for (let at = 2; ; ) {
    while (view.getUint8(at) === 0xff && view.getUint8(at + 1) === 0xff) at += 1
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    at += 2 + Math.max(2, view.getUint16(at + 2))
  }
}
