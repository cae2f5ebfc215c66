/** The answer to a form, prepared as text for somebody to fill in. */
import type { ApprovalView } from '../view.ts'

type Fields = Readonly<Record<string, unknown>>

const asFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** JSON with every field of the form; undefined when a bare text answers it: no form, or one of a single field. */
export function answerDraft({ schema }: ApprovalView): string | undefined {
  const fields = Object.entries(asFields(schema?.['properties']))
  if (fields.length < 2) return undefined
  const values = fields.map(([name, field]) => [name, emptyValue(asFields(field))] as const)
  return JSON.stringify(Object.fromEntries(values), null, 2)
}

const EMPTY: Fields = { number: 0, integer: 0, boolean: false, array: [] }

function emptyValue(field: Fields): unknown {
  const choices = field['enum']
  return (
    field['default'] ??
    (Array.isArray(choices) ? choices[0] : undefined) ??
    EMPTY[String(field['type'])] ??
    ''
  )
}
