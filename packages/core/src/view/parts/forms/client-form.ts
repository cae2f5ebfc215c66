/** The form of a call that a client answers. What is written there stays with the page. */
import { asText, field } from '../../tools/call-input.ts'
import type { CallView } from '../../view.ts'
import type { Schema } from './form-fields.ts'

const FIELDS = 40

/** The fields of the form as a schema; undefined for a call without one. */
export function clientForm({ view }: CallView): Schema | undefined {
  const fields = view?.kind === 'form' ? field(view.body, 'fields') : undefined
  if (!Array.isArray(fields) || fields.length === 0 || fields.length > FIELDS) return undefined
  const names = fields.map(one => asText(field(one, 'name')))
  return {
    properties: Object.fromEntries(
      fields.map((one, i) => [names[i], { type: 'string', title: asText(field(one, 'label')) || names[i] }]),
    ),
    required: names.filter((_, i) => field(fields[i], 'required') === true),
  }
}
