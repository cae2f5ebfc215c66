/** Answers in the form that a request asks for: JSON that fits its schema, or a JSON object. Pure. */
import type { ModelRequest } from '@toolwire/core'
import type { Plan, PlannedBlock } from '../plan/plan.ts'
import { fillSchema } from './fill-schema.ts'
import { fitString } from './fit-value.ts'
import { isSchema, propertiesOf, resolveSchema, type Schema, typeOf } from './json-schema.ts'

/** `text` is what was asked for; the values of a schema come from it. Plans that are no answer stay as they are. */
export function withJsonAnswer(plan: Plan, request: ModelRequest, text: string): Plan {
  const form = formOf(request)
  if (!form || plan.stop_reason === 'refusal' || plan.error) return plan
  const others = plan.blocks.filter(block => block.type !== 'text')
  // Words beside a call would not be JSON either.
  if (others.some(block => block.type === 'tool_use')) return { ...plan, blocks: others }
  const spoken = plan.blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n\n')
  const value = form.schema ? answerTo(form.schema, text, spoken) : { answer: spoken }
  const answer: PlannedBlock = { type: 'text', text: JSON.stringify(value) }
  return { ...plan, blocks: [...others, answer] }
}

interface AnswerForm {
  /** Any object when absent. */
  readonly schema?: Schema
}

/** As the vendors' requests say it: `response_format`, `output_config.format`, `output_format` or `text.format`. */
function formOf({ options = {} }: ModelRequest): AnswerForm | undefined {
  const { response_format, output_config, output_format, text } = options
  const nested = [output_config, text].flatMap(one => (isSchema(one) ? [one['format']] : []))
  for (const format of [response_format, output_format, ...nested]) {
    if (!isSchema(format)) continue
    if (format['type'] === 'json_object') return {}
    if (format['type'] !== 'json_schema') continue
    const inner = isSchema(format['json_schema']) ? format['json_schema'] : format
    return isSchema(inner['schema']) ? { schema: inner['schema'] } : {}
  }
  return undefined
}

const ANSWER_NAMES = /^(?:answer|reply|response|message|text|content|summary|result|explanation)$/i
const BINDING = ['const', 'enum', 'pattern', 'format'] as const

/** Filled from the request; a free text field for the answer holds what the model says otherwise. */
function answerTo(schema: Schema, text: string, spoken: string): unknown {
  const filled = fillSchema(schema, text)
  if (!isSchema(filled)) return filled
  const properties = propertiesOf(resolveSchema(schema, schema))
  const said = Object.entries(properties).flatMap(([name, given]) => {
    const property = resolveSchema(given, schema)
    const isFree = typeOf(property) === 'string' && BINDING.every(key => property[key] === undefined)
    return isFree && ANSWER_NAMES.test(name) && Object.hasOwn(filled, name)
      ? [[name, fitString(spoken, property, { name, text, nth: 0 })] as const]
      : []
  })
  return { ...filled, ...Object.fromEntries(said) }
}
