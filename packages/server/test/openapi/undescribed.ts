/** Fields that a value has and its schema does not name. A schema that takes any further field says so. */
import type { JsonSchema } from '../../src/openapi/schema-registry.ts'

export interface Names {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly accepts: (schema: JsonSchema, value: unknown) => boolean
}

export function undescribed(names: Names, schema: JsonSchema, value: unknown, at = '#'): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  const forms = formsOf(names, schema, value)
  const problems = forms.map(form => inForm(names, form, value, at))
  return problems.sort((a, b) => a.length - b.length)[0] ?? []
}

/** Every way to read the schema as one object: references followed, choices that fit, parts joined. */
function formsOf(names: Names, schema: JsonSchema, value: unknown): readonly JsonSchema[] {
  const { $ref, anyOf, oneOf, allOf } = schema
  if (typeof $ref === 'string') {
    const found = names.schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}
    return formsOf(names, found, value)
  }
  const choices = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined
  if (choices)
    return choices
      .filter(choice => names.accepts(choice, value))
      .flatMap(choice => formsOf(names, choice, value))
  if (!Array.isArray(allOf)) return [schema]
  return (allOf as readonly JsonSchema[])
    .map(part => formsOf(names, part, value))
    .reduce<readonly JsonSchema[]>((all, part) => all.flatMap(one => part.map(two => join(one, two))), [{}])
}

const join = (one: JsonSchema, two: JsonSchema): JsonSchema => ({
  ...one,
  ...two,
  properties: { ...(one['properties'] as object), ...(two['properties'] as object) },
})

function inForm(names: Names, form: JsonSchema, value: object, at: string): readonly string[] {
  if (Array.isArray(value)) {
    const items = form['items'] as JsonSchema | undefined
    return items ? value.flatMap((item, i) => undescribed(names, items, item, `${at}/${i}`)) : []
  }
  const properties = form['properties'] as Readonly<Record<string, JsonSchema>> | undefined
  if (!properties) return []
  return Object.entries(value).flatMap(([key, item]) => {
    const property = properties[key]
    if (property) return undescribed(names, property, item, `${at}/${key}`)
    return form['additionalProperties'] === undefined ? [`${at}/${key} is not described`] : []
  })
}
