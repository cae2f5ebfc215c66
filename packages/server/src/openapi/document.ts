/** The API as OpenAPI 3.1, made from the schemas that its routes read requests by. */
import type { Route } from '../http/route.ts'
import { toRefusals } from './error-answers.ts'
import { HEADER_PARAMETERS } from './header-parameters.ts'
import type { Answer } from './operation.ts'
import { createSchemaBook, type JsonSchema, type SchemaRegistry } from './schema-registry.ts'
import { TAGS } from './tags.ts'

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: JsonSchema & {
    readonly title: string
    readonly version: string
    readonly description: string
  }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly security: readonly JsonSchema[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: {
    readonly securitySchemes: JsonSchema
    readonly schemas: Readonly<Record<string, JsonSchema>>
  }
}

export interface DescribedOperation {
  readonly operationId: string
  readonly tags: readonly [string]
  readonly summary: string
  readonly description?: string
  readonly security?: readonly JsonSchema[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: MediaTypes }
  readonly responses: Readonly<Record<string, DescribedAnswer>>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

export interface DescribedAnswer {
  readonly description: string
  readonly content?: MediaTypes
}

/** For an event stream, `contentSchema` of the schema describes the data of each event. */
export type MediaTypes = Readonly<Record<string, { readonly schema: JsonSchema }>>

export interface DocumentOptions {
  readonly routes: readonly Route[]
  readonly version: string
  /** Path below which the routes are; the root when empty or absent. */
  readonly basePath?: string
}

const DESCRIPTION = [
  "Runs an agent's tool calls on a server and streams them. Fields that this document does not name may appear in answers: ignore them.",
  'Operation ids are stable. Do not let a generated client repeat a POST by itself, unless it sends an `Idempotency-Key`: a stream of POST /api/chat/stream is resumed by `Last-Event-ID`, not by sending the message again.',
].join('\n\n')

/** Describes the routes in their order. Pure. */
export function createDocument({ routes, version, basePath = '' }: DocumentOptions): OpenApiDocument {
  const book = createSchemaBook()
  const paths: Record<string, Record<string, DescribedOperation>> = {}
  for (const route of routes.filter(({ method }) => method !== 'HEAD')) {
    const path = toPath(route.path)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route, book) }
  }
  const used = new Set(routes.map(route => route.tag))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Toolwire',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    tags: TAGS.filter(tag => used.has(tag.name)),
    security: [{ bearer: [] }, { apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, where the server asks for one.' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
      schemas: book.components(),
    },
  }
}

/** `/a/:b/*` as OpenAPI writes it. */
export const toPath = (url: string): string =>
  url.replaceAll(/:([A-Za-z_]+)/g, '{$1}').replace(/\*$/, '{path}')

function describe(route: Route, book: SchemaRegistry): DescribedOperation {
  const { id, tag, summary, description, scope, body, upload, isBodyOptional = false } = route
  const open = scope === 'open'
  const parameters = toParameters(route, book)
  const notes = [description, open ? undefined : `Scope of the key: \`${scope}\`.`].filter(
    note => note !== undefined,
  )
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(notes.length > 0 ? { description: notes.join('\n\n') } : {}),
    ...(open ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(upload ? { requestBody: { required: true, content: toUpload(route, book) } } : {}),
    ...(body
      ? {
          requestBody: {
            required: !isBodyOptional,
            content: { 'application/json': { schema: book.add(body, 'in') } },
          },
        }
      : {}),
    responses: toResponses(route, book),
  }
}

/** A file as it is where the query can name it, and as a part of a form. */
function toUpload({ upload, query }: Route, book: SchemaRegistry) {
  const fields = upload ? (book.add(upload, 'in') as { readonly properties?: object }) : {}
  const file = { type: 'string', format: 'binary' }
  const form = { type: 'object', properties: { file, ...fields.properties }, required: ['file'] }
  return {
    'multipart/form-data': { schema: form },
    ...(query ? { 'application/octet-stream': { schema: file } } : {}),
  }
}

function toParameters(
  { path, rest, query, headers = [] }: Route,
  book: SchemaRegistry,
): readonly Parameter[] {
  const named = [...path.matchAll(/:([A-Za-z_]+)/g)].map(
    ([, name = '']): Parameter => ({ name, in: 'path', required: true, schema: { type: 'string' } }),
  )
  const tail: readonly Parameter[] =
    rest === undefined
      ? []
      : [{ name: 'path', in: 'path', required: true, description: rest, schema: { type: 'string' } }]
  return [
    ...named,
    ...tail,
    ...(query ? toQuery(book.add(query, 'in')) : []),
    ...headers.map(
      (name): Parameter => ({ name, in: 'header', required: false, ...HEADER_PARAMETERS[name] }),
    ),
  ]
}

function toQuery(schema: JsonSchema): readonly Parameter[] {
  const { properties = {}, required = [] } = schema as {
    readonly properties?: Readonly<Record<string, JsonSchema>>
    readonly required?: readonly string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: property,
  }))
}

function toResponses(route: Route, book: SchemaRegistry): DescribedOperation['responses'] {
  const responses: Record<string, DescribedAnswer> = {}
  for (const { status, description, schema } of toRefusals(route))
    responses[status] = { description, content: { 'application/json': { schema: book.add(schema, 'out') } } }
  for (const [status, answer] of Object.entries(route.responses))
    responses[status] = merge(toAnswer(answer, book), responses[status])
  return responses
}

/** A status that is an answer and a refusal at once says both. */
function merge(answer: DescribedAnswer, refusal: DescribedAnswer | undefined): DescribedAnswer {
  if (!refusal) return answer
  return {
    description: `${answer.description} ${refusal.description}`,
    content: { ...refusal.content, ...answer.content },
  }
}

function toAnswer({ description, content }: Answer, book: SchemaRegistry): DescribedAnswer {
  if (!content) return { description }
  const types = content.map(({ type, schema, frames }) => {
    const events = frames
      ? { contentMediaType: 'application/json', contentSchema: book.add(frames, 'out') }
      : {}
    return [type, { schema: schema ? book.add(schema, 'out') : { type: 'string', ...events } }]
  })
  return { description, content: Object.fromEntries(types) }
}
