/** From what was typed into a form to a value, and back. Pure. */
import type { FormField } from './form-fields.ts'

/** Typed text by field; an untouched field is absent or ''. */
export type FormValues = Readonly<Record<string, string>>

export type FormProblem = 'required' | 'number' | 'json'

export interface FormInput {
  readonly input: Readonly<Record<string, unknown>>
  /** Validation errors by field. */
  readonly problems: Readonly<Record<string, FormProblem>>
}

/** The values of a fresh form: those of `given`, or without it the defaults of the schema. */
export const initialValues = (fields: readonly FormField[], given?: unknown): FormValues =>
  toValues(fields, given) ??
  Object.fromEntries(fields.filter(field => field.initial !== '').map(field => [field.name, field.initial]))

/** Fields left empty are left out. What `given` has beyond the fields stays as it is. */
export function toInput(fields: readonly FormField[], values: FormValues, given?: unknown): FormInput {
  const input: Record<string, unknown> = othersOf(fields, given)
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

function othersOf(fields: readonly FormField[], given: unknown): Record<string, unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return {}
  const asked = new Set(fields.map(field => field.name))
  return Object.fromEntries(Object.entries(given).filter(([name]) => !asked.has(name)))
}
