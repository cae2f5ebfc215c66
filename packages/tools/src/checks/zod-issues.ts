/** Schema problems as sentences a model can act on: where, what was expected, what came. Never the whole schema. */
import type { z } from 'zod'
import { nearest } from './nearest.ts'
import { showValue } from './show-value.ts'

const MAX_PROBLEMS = 10

export function describeIssues(
  issues: readonly z.core.$ZodIssue[],
  input: unknown,
  schema: Readonly<Record<string, unknown>>,
): readonly string[] {
  const problems = issues.flatMap(issue => describe(issue, input, schema))
  if (problems.length <= MAX_PROBLEMS) return problems
  return [...problems.slice(0, MAX_PROBLEMS), `and ${problems.length - MAX_PROBLEMS} more problems`]
}

function describe(
  issue: z.core.$ZodIssue,
  input: unknown,
  schema: Readonly<Record<string, unknown>>,
): string[] {
  const path = issue.path.map(String)
  const where = path.length > 0 ? `\`${path.join('.')}\`` : 'the arguments'
  const got = valueAt(input, path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map(key => unexpected([...path, key].join('.'), key, schema))
    case 'invalid_type':
      if (got === undefined && path.length > 0)
        return [`${where} is required and missing (expected ${issue.expected})`]
      return [`${where}: expected ${issue.expected}, got ${showValue(got)}`]
    case 'invalid_value':
      if (got === undefined && path.length > 0) return [`${where} is required and missing`]
      return [`${where}: expected one of ${issue.values.map(String).join(', ')}, got ${showValue(got)}`]
    default:
      return [`${where}: ${issue.message}, got ${showValue(got)}`]
  }
}

function unexpected(where: string, key: string, schema: Readonly<Record<string, unknown>>): string {
  const allowed = Object.keys((schema['properties'] as Record<string, unknown> | undefined) ?? {})
  const [meant] = nearest(key, allowed, 1)
  return `\`${where}\` is not a parameter of this tool${meant ? `; did you mean \`${meant}\`?` : ''}`
}

function valueAt(input: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined,
    input,
  )
}
