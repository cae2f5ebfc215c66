/** The value of a small record as it was stored. Throws AppError('storage_error') when its text is none any more. */
import { AppError } from '@toolwire/core'

export function readStoredValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AppError('storage_error', 'A stored record cannot be read.', { cause: String(error) })
  }
}
