/** The opaque place between two pages of a session list: the last row's time and id. */
import { AppError } from '@toolwire/core'

export interface ListPlace {
  readonly updatedAt: number
  readonly id: string
}

export const encodeListCursor = (place: ListPlace): string =>
  Buffer.from(JSON.stringify([place.updatedAt, place.id])).toString('base64url')

/** Throws AppError('invalid_cursor') for anything that encodeListCursor did not make. */
export function decodeListCursor(text: string): ListPlace {
  const parsed = parse(Buffer.from(text, 'base64url').toString())
  if (Array.isArray(parsed) && parsed.length === 2) {
    const [updatedAt, id]: unknown[] = parsed
    if (Number.isSafeInteger(updatedAt) && typeof id === 'string')
      return { updatedAt: updatedAt as number, id }
  }
  throw new AppError('invalid_cursor', 'This is not a cursor of a session list.')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
