/** File names are bytes; those that are no UTF-8 are shown with their bytes escaped. */
import { isUtf8 } from '../files/charset.ts'

export function showPath(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes)
  return [...bytes]
    .map(byte => (byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`))
    .join('')
}
