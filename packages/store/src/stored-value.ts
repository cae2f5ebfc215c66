/** Parses the stored value of a small record. Throws AppError('storage_error') if the text is damaged. */
import { AppError, type StoredRecord } from '@toolwire/core'

export function readStoredValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AppError('storage_error', 'A stored record cannot be read.', { cause: String(error) })
  }
}

/** Of several records, those whose text is still a value. */
export function readableRecords(
  rows: readonly { readonly id: string; readonly value: string }[],
): readonly StoredRecord[] {
  return rows.flatMap(({ id, value }) => {
    try {
      return [{ id, value: readStoredValue(value) }]
    } catch {
      return []
    }
  })
}
