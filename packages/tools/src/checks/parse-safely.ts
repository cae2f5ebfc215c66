/** Reading what others wrote by a schema: never an exception, whatever it is. */
import { z } from 'zod'

/**
 * Like `schema.safeParse`, also where that throws: length checks look at whatever has a `length`, and
 * comparing one that is an object may fail. Such a value has one problem, with the whole value as its place.
 */
export function parseSafely<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  try {
    return schema.safeParse(value)
  } catch {
    const message = 'a length in it is no number'
    const error = new z.ZodError([{ code: 'custom', path: [], message, input: value }])
    return { success: false, error: error as z.ZodError<z.output<Schema>> }
  }
}
