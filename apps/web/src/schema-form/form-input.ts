/** From what was typed to the arguments of a call. Pure. */
import type { FormField } from './form-fields.ts'

/** What was typed, by field; a field that nobody touched is absent or ''. */
export type FormValues = Readonly<Record<string, string>>

export type FormProblem = 'required' | 'number' | 'json'

export interface FormInput {
  readonly input: Readonly<Record<string, unknown>>
  /** What cannot be sent as it stands, by field. */
  readonly problems: Readonly<Record<string, FormProblem>>
}

/** The values of a fresh form. */
export const initialValues = (fields: readonly FormField[]): FormValues =>
  Object.fromEntries(fields.filter(field => field.initial !== '').map(field => [field.name, field.initial]))

/** Fields left empty are left out; an empty text that is required is sent as the empty text only when it was typed. */
export function toInput(fields: readonly FormField[], values: FormValues): FormInput {
  const input: Record<string, unknown> = {}
  const problems: Record<string, FormProblem> = {}
  for (const field of fields) {
    const text = values[field.name] ?? ''
    if (text === '') {
      if (field.required) problems[field.name] = 'required'
      continue
    }
    const read = readValue(field, text)
    if ('problem' in read) problems[field.name] = read.problem
    else input[field.name] = read.value
  }
  return { input, problems }
}

function readValue(
  field: FormField,
  text: string,
): { readonly value: unknown } | { readonly problem: FormProblem } {
  if (field.kind === 'text') return { value: text }
  if (field.kind === 'number') {
    const value = Number(text)
    const fits = text.trim() !== '' && Number.isFinite(value) && (!field.integer || Number.isInteger(value))
    return fits ? { value } : { problem: 'number' }
  }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { problem: 'json' }
  }
}

/** Arguments as values of the form, for going back from JSON. Undefined when they are no object. */
export function toValues(fields: readonly FormField[], input: unknown): FormValues | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined
  const given = input as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    fields.flatMap(field => {
      const value = given[field.name]
      if (value === undefined) return []
      return [[field.name, field.kind === 'text' ? String(value) : JSON.stringify(value)] as const]
    }),
  )
}
