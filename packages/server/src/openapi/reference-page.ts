/** The description of the API as one page: no scripts, nothing from elsewhere, every text escaped. Pure. */
import { createHash } from 'node:crypto'
import type {
  DescribedAnswer,
  DescribedOperation,
  MediaTypes,
  OpenApiDocument,
  Parameter,
} from './document.ts'
import { REFERENCE_STYLE } from './reference-style.ts'
import type { JsonSchema } from './schema-registry.ts'

/** Allows the page its own style sheet and nothing else. */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(REFERENCE_STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The page, whole. */
export function renderReference(document: OpenApiDocument): string {
  const { info, servers, tags, components } = document
  const sections = tags.map(tag => renderTag(document, tag))
  const base = (servers[0]?.url ?? '').replace(/\/$/, '')
  const schemas = Object.entries(components.schemas).map(([name, schema]) => renderComponent(name, schema))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(info.title)} API</title>
<style>${REFERENCE_STYLE}</style>
</head>
<body>
<nav aria-label="Contents">
<h1>${text(info.title)} API</h1>
<p>${text(info.version)} · <a href="${base}/openapi.json">openapi.json</a> · <a href="${base}/">app</a></p>
<ul>${tags.map(tag => `<li><a href="#${anchor(tag.name)}">${text(tag.name)}</a></li>`).join('')}<li><a href="#schemas">Schemas</a></li></ul>
</nav>
<main>
<p>${text(info.description)}</p>
${sections.join('\n')}
<section aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>${schemas.join('\n')}</section>
</main>
</body>
</html>
`
}

function renderTag(document: OpenApiDocument, tag: OpenApiDocument['tags'][number]): string {
  const own = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags[0] === tag.name)
      .map(([method, operation]) => renderOperation(method, path, operation)),
  )
  const id = anchor(tag.name)
  return `<section aria-labelledby="${id}"><h2 id="${id}">${text(tag.name)}</h2><p>${text(tag.description)}</p>${own.join('\n')}</section>`
}

function renderOperation(method: string, path: string, operation: DescribedOperation): string {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation
  const key = operation.security ? '<p>Needs no key.</p>' : ''
  const body = requestBody
    ? `<h4>Body${requestBody.required ? '' : ' (optional)'}</h4>${renderContent(requestBody.content)}`
    : ''
  const answers = Object.entries(responses).map(([status, answer]) => renderAnswer(status, answer))
  return `<details class="operation" id="${text(operationId)}">
<summary><span class="method" data-method="${text(method)}">${text(method.toUpperCase())}</span> <code>${text(path)}</code> <span>${text(summary)}</span></summary>
${description === undefined ? '' : paragraphs(description)}${key}${renderParameters(parameters)}${body}
<h4>Answers</h4><dl>${answers.join('')}</dl>
</details>`
}

function renderParameters(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      `<tr><th scope="row"><code>${text(name)}</code></th><td>${place}${required ? ', required' : ''}</td><td>${renderSchema(schema)}${description === undefined ? '' : ` ${inline(description)}`}</td></tr>`,
  )
  return `<h4>Parameters</h4><table>${rows.join('')}</table>`
}

const renderAnswer = (status: string, { description, content }: DescribedAnswer): string =>
  `<dt>${text(status)}</dt><dd>${inline(description)}${content ? renderContent(content) : ''}</dd>`

const renderContent = (content: MediaTypes): string =>
  Object.entries(content)
    .map(([type, { schema }]) => {
      const { contentSchema: data } = schema
      const shown = isSchema(data) ? `events of ${renderSchema(data)}` : renderSchema(schema)
      return `<div class="content"><span>${text(type)}</span> ${shown}</div>`
    })
    .join('')

/** The anchor is inside: a browser that follows a link to it opens the enclosing element. */
const renderComponent = (name: string, schema: JsonSchema): string =>
  `<details class="schema"><summary><code>${text(name)}</code></summary><div id="schema-${text(name)}">${renderSchema(schema)}</div></details>`

/** A schema as far as people read it: names, kinds, choices and limits. */
function renderSchema(schema: JsonSchema): string {
  const { $ref, anyOf, oneOf, allOf, enum: choices, const: only, type, properties, items } = schema
  if (typeof $ref === 'string') return link($ref)
  if (only !== undefined) return literal(only)
  if (Array.isArray(choices)) return choices.map(literal).join(' | ')
  const options = anyOf ?? oneOf
  if (Array.isArray(options)) return options.map(option => renderSchema(option as JsonSchema)).join(' | ')
  if (Array.isArray(allOf)) return allOf.map(part => renderSchema(part as JsonSchema)).join(' &amp; ')
  if (isSchema(properties)) return renderFields(schema, properties)
  if (isSchema(items)) return `list of ${renderSchema(items)}`
  return `${text(type === undefined ? 'anything' : String(type))}${limits(schema)}`
}

function renderFields(schema: JsonSchema, properties: JsonSchema): string {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const rows = Object.entries(properties).map(([name, field]) => {
    const about = isSchema(field) ? field : {}
    const note = typeof about['description'] === 'string' ? ` ${inline(about['description'])}` : ''
    const mark = required.includes(name) ? '' : '<i title="optional">?</i>'
    return `<tr><th scope="row"><code>${text(name)}</code>${mark}</th><td>${renderSchema(about)}${note}</td></tr>`
  })
  return rows.length === 0 ? 'object' : `<table class="fields">${rows.join('')}</table>`
}

function limits(schema: JsonSchema): string {
  const told = [
    ['minimum', '≥ '],
    ['maximum', '≤ '],
    ['minLength', 'at least '],
    ['maxLength', 'at most '],
  ] as const
  const found = told.flatMap(([key, word]) => {
    const value = schema[key]
    // Integers are described as bounded by the number type; that adds nothing.
    return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? [`${word}${value}`] : []
  })
  return found.length === 0 ? '' : ` <small>(${found.join(', ')})</small>`
}

function link(ref: string): string {
  const name = ref.slice(ref.lastIndexOf('/') + 1)
  return `<a href="#schema-${text(name)}"><code>${text(name)}</code></a>`
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const literal = (value: unknown): string => `<code>${text(JSON.stringify(value))}</code>`
const anchor = (name: string): string => `tag-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
const paragraphs = (body: string): string =>
  body
    .split('\n\n')
    .map(part => `<p>${inline(part)}</p>`)
    .join('')

/** Text whose words in backticks are code. */
const inline = (body: string): string => text(body).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const text = (value: string): string => value.replaceAll(/[&<>"']/g, found => ESCAPES[found] ?? found)
