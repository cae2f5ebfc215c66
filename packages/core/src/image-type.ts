/** Image types that models accept, by the first bytes of their data. */

type Magic = readonly [media_type: string, bytes: readonly (number | undefined)[]]

/** Accepted by every provider. */
export const PICTURES: readonly Magic[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  [
    'image/webp',
    [0x52, 0x49, 0x46, 0x46, undefined, undefined, undefined, undefined, 0x57, 0x45, 0x42, 0x50],
  ],
]

/** Accepted by some models: bitmaps, TIFF in both byte orders, and the HEIC and AVIF family. */
const OTHERS: readonly Magic[] = [
  ['image/bmp', [0x42, 0x4d]],
  ['image/tiff', [0x49, 0x49, 0x2a, 0x00]],
  ['image/tiff', [0x4d, 0x4d, 0x00, 0x2a]],
  ['image/heic', [undefined, undefined, undefined, undefined, 0x66, 0x74, 0x79, 0x70]],
]

/** The type of one of `PICTURES`, `other` for another image, undefined otherwise. Pure. */
export function imageType(start: Uint8Array): string | undefined {
  const known = PICTURES.find(magic => hasSignature(start, magic))?.[0]
  return known ?? (OTHERS.some(magic => hasSignature(start, magic)) ? 'other' : undefined)
}

/** True for data that begins as this kind does; undefined bytes may be any. */
export const hasSignature = (start: Uint8Array, [, bytes]: Magic): boolean =>
  start.length >= bytes.length && bytes.every((byte, i) => byte === undefined || start[i] === byte)
