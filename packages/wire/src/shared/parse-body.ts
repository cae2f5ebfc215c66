/** Reading a request by a schema. The wires share it, so that every refusal names its field in the same way. */
import { AppError } from '@toolwire/core'
import type { z } from 'zod'

/** Parses by a schema. Throws `bad_request` whose message starts with the path of the first wrong field. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = safeParse(schema, body ?? {})
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(issue => ({ path: issue.path.join('.'), message: issue.message }))
  const [first] = issues
  const message = first ? `${first.path || 'body'}: ${first.message}` : undefined
  throw new AppError('bad_request', message, { issues: issues.slice(0, 10) })
}

/** Length checks also look at what is no list; an object whose `length` is no number makes them throw. */
function safeParse<Schema extends z.ZodType>(schema: Schema, body: unknown) {
  try {
    return schema.safeParse(body)
  } catch {
    throw new AppError('bad_request', 'body: a field that is a list or a text has a length that is no number')
  }
}
