/** Holds exchanges with a server against its own description. */
import { type Schema, Validator } from '@cfworker/json-schema'
import type { DescribedOperation, OpenApiDocument } from '../../src/openapi/document.ts'
import type { JsonSchema } from '../../src/openapi/schema-registry.ts'
import { parseSse } from '../read-sse.ts'
import { undescribed } from './undescribed.ts'

interface Exchange {
  readonly method: string
  readonly path: string
  readonly sent: unknown
  readonly status: number
  readonly type: string
  readonly text: string
}

export interface Contract {
  /** What of the exchange the description does not say; empty when all of it is described. */
  readonly check: (exchange: Exchange) => readonly string[]
  /** Operations that were checked, by id and status. */
  readonly seen: ReadonlySet<string>
}

export function createContract(document: OpenApiDocument): Contract {
  const seen = new Set<string>()
  const judge = createJudge(document)
  return {
    seen,
    check(exchange) {
      const found = findOperation(document, exchange)
      if (!found) return [`${exchange.method} ${exchange.path} is not described`]
      seen.add(`${found.operationId} ${exchange.status}`)
      return [...checkBody(found, exchange, judge), ...checkAnswer(found, exchange, judge)].map(
        problem => `${found.operationId} ${exchange.status}: ${problem}`,
      )
    },
  }
}

type Judge = (schema: JsonSchema, value: unknown) => readonly string[]

/** What is wrong with a value, or said by it and not by its schema. */
function createJudge({ components }: OpenApiDocument): Judge {
  const validators = new Map<JsonSchema, Validator>()
  const accepts = (schema: JsonSchema, value: unknown) => {
    const whole = { ...schema, components } as Schema
    const validator = validators.get(schema) ?? new Validator(whole, '2020-12', false)
    validators.set(schema, validator)
    return validator.validate(value)
  }
  return (schema, value) => {
    const { valid, errors } = accepts(schema, value)
    if (!valid)
      return errors.map(
        error => `${error.instanceLocation} ${error.error} (${JSON.stringify(value).slice(0, 300)})`,
      )
    return undescribed(
      { schemas: components.schemas, accepts: (one, item) => accepts(one, item).valid },
      schema,
      value,
    )
  }
}

/** The most literal path that fits. */
function findOperation(
  document: OpenApiDocument,
  { method, path }: Exchange,
): DescribedOperation | undefined {
  const bare = path.split('?', 1)[0] ?? ''
  const fits = Object.keys(document.paths).filter(template => {
    const pattern = template
      .replaceAll('.', '\\.')
      .replaceAll('{path}', '.+')
      .replaceAll(/\{\w+\}/g, '[^/]+')
    return new RegExp(`^${pattern}$`).test(bare) && document.paths[template]?.[method.toLowerCase()]
  })
  const [best] = fits.sort((a, b) => a.split('{').length - b.split('{').length)
  return best === undefined ? undefined : document.paths[best]?.[method.toLowerCase()]
}

/** Only what was accepted has to be of the described form. */
function checkBody({ requestBody }: DescribedOperation, { sent, status }: Exchange, judge: Judge) {
  if (status >= 300) return []
  if (sent === undefined) return requestBody?.required ? ['a required body was left out'] : []
  const schema = requestBody?.content['application/json']?.schema
  if (!schema) return ['a body is not described']
  return judge(schema, sent)
    .filter(problem => !problem.includes('is not described'))
    .map(problem => `body: ${problem}`)
}

function checkAnswer({ responses }: DescribedOperation, { status, type, text }: Exchange, judge: Judge) {
  const answer = responses[status]
  if (!answer) return ['the status is not described']
  if (text === '') return []
  const kind = type.split(';', 1)[0] ?? ''
  const content = answer.content?.[kind] ?? answer.content?.['*/*']
  if (!content) return [`${kind} is not described`]
  if (kind === 'application/json') return judge(content.schema, JSON.parse(text))
  const frames = content.schema['contentSchema'] as JsonSchema | undefined
  if (!frames) return []
  return parseSse(text.replaceAll('data: [DONE]\n\n', '')).flatMap(frame => judge(frames, frame.data))
}
