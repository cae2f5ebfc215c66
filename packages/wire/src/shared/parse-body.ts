/** Reading a request by a schema. The wires share it, so that every refusal names its field in the same way. */
import { AppError } from '@toolwire/core'
import type { z } from 'zod'
import { checkCounts } from './count-limits.ts'

const MAX_ISSUES = 10

/** Parses by a schema. Throws `bad_request` or `payload_too_large`; the message starts with the path of the first wrong field. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  checkCounts(body)
  const parsed = safeParse(schema, body ?? {})
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.slice(0, MAX_ISSUES).map(issue => describe(issue, []))
  const [first] = issues
  const message = first ? `${first.path || 'body'}: ${first.message}` : undefined
  throw new AppError('bad_request', message, { issues })
}

type Issue = z.core.$ZodIssue

/** Of a value that fits no form of a union, the issue of the form that it comes closest to. */
function describe(
  issue: Issue,
  at: readonly PropertyKey[],
): { readonly path: string; readonly message: string } {
  const path = [...at, ...issue.path]
  const closest =
    issue.code === 'invalid_union' && issue.message === UNION ? closestOf(issue.errors) : undefined
  return closest ? describe(closest, path) : { path: path.join('.'), message: issue.message }
}

/** zod's message for a union without its own. */
const UNION = 'Invalid input'

/** The form that was read furthest, then the one with the fewest issues. */
function closestOf(forms: readonly (readonly Issue[])[]): Issue | undefined {
  const depth = (issues: readonly Issue[]): number =>
    issues.reduce((most, issue) => Math.max(most, issue.path.length), 0)
  const [best] = forms
    .filter(issues => issues.length > 0)
    .toSorted((a, b) => depth(b) - depth(a) || a.length - b.length)
  return best?.[0]
}

/** Length checks also look at what is no list; an object whose `length` is no number makes them throw. */
function safeParse<Schema extends z.ZodType>(schema: Schema, body: unknown) {
  try {
    return schema.safeParse(body)
  } catch {
    throw new AppError('bad_request', 'body: a field that is a list or a text has a length that is no number')
  }
}
