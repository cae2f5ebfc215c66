/**
 * The answer to a question with a form: a JSON Schema of flat fields. One reader for all wires and calls, so that
 * the server accepts exactly what the asking call accepts.
 */
import type { QuestionAnswer } from '@toolwire/core'
import { createSchemaCheck } from '../checks/json-schema.ts'

type Fields = Readonly<Record<string, unknown>>

export type FormAnswer =
  | { readonly action: 'accept'; readonly content?: Fields }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' }

export type ReadAnswer =
  | { readonly ok: true; readonly answer: FormAnswer }
  | { readonly ok: false; readonly problems: readonly string[] }

/**
 * An approval accepts, a denial declines, everything else cancels. The text of an approval is a JSON
 * object, or the bare value of a form's only field; fields that are left out take their defaults.
 * Without a schema there is nothing to fill in. Pure; never throws.
 */
export function readFormAnswer(schema: Fields | undefined, given: QuestionAnswer): ReadAnswer {
  if (given.decision === 'denied') return { ok: true, answer: { action: 'decline' } }
  if (given.decision !== 'approved') return { ok: true, answer: { action: 'cancel' } }
  if (!schema) return { ok: true, answer: { action: 'accept' } }
  const properties = fieldsOf(schema['properties'])
  const said = toObject(given.text ?? '', properties)
  if (!said) return { ok: false, problems: ['The answer must be a JSON object with the fields of the form.'] }
  const content = { ...defaultsOf(properties), ...said }
  const checked = createSchemaCheck(schema)(content)
  return checked.ok
    ? { ok: true, answer: { action: 'accept', content } }
    : { ok: false, problems: checked.problems }
}

function toObject(text: string, properties: Fields): Fields | undefined {
  if (text.trim() === '') return {}
  const value = parse(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  const [only, ...others] = Object.keys(properties)
  if (only === undefined || others.length > 0) return undefined
  return { [only]: toField(text, fieldsOf(properties[only])['type']) }
}

/** Typed text as the field's type; text if it does not fit. */
function toField(text: string, type: unknown): unknown {
  const value = parse(text)
  switch (type) {
    case 'number':
    case 'integer':
      return typeof value === 'number' ? value : text
    case 'boolean':
      return typeof value === 'boolean' ? value : text
    case 'array':
      return Array.isArray(value) ? value : [text]
    default:
      return text
  }
}

function defaultsOf(properties: Fields): Fields {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, field]) => {
      const value = fieldsOf(field)['default']
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
