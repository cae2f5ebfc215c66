/** docs/tools.md, made from the definitions themselves. */
import type { Tool } from '@toolwire/core'
import { toolEffect } from './tool-effect.ts'

/** The whole page. Pure, so that a stale page can be found by comparing. */
export function renderToolsDoc(tools: readonly Tool[]): string {
  const rows = tools.map(
    tool =>
      `| [${tool.name}](#${tool.name.toLowerCase()}) | ${sentence(tool)} | ${readOnly(tool)} | ${limits(tool)} |`,
  )
  return [
    '# Tools',
    '',
    'Made from the definitions in `packages/tools/src/builtin`; do not edit by hand.',
    '',
    '| tool | what it does | reads only | limits and defaults |',
    '|---|---|---|---|',
    ...rows,
    '',
    ...tools.flatMap(section),
  ].join('\n')
}

const describe = (tool: Tool): string =>
  typeof tool.description === 'string'
    ? tool.description
    : tool.description({ cwd: '.', permission_mode: 'default', model: '' })

/** A tag of HTML stays text; the rest of a description is Markdown. */
const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;')
const sentence = (tool: Tool): string => cell(/^.*?[.!](?=\s|$)/s.exec(describe(tool))?.[0] ?? describe(tool))
const limits = (tool: Tool): string =>
  cell((tool.limits ?? []).map(({ name, value }) => `${name}: ${value}`).join('; ') || '–')

const READ_ONLY = { reads: 'yes', asks: 'yes', changes: 'no', depends: 'depends on the arguments' } as const
const readOnly = (tool: Tool): string => READ_ONLY[toolEffect(tool)]

function section(tool: Tool): readonly string[] {
  return [
    `## ${tool.name}`,
    '',
    '```text',
    describe(tool).replaceAll('```', "'''"),
    '```',
    '',
    '| parameter | type | required | meaning |',
    '|---|---|---|---|',
    ...parameters(tool),
    '',
  ]
}

interface Property {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly description?: string
}

function parameters({ input_schema }: Tool): readonly string[] {
  const properties = (input_schema['properties'] ?? {}) as Readonly<Record<string, Property>>
  const required = (input_schema['required'] ?? []) as readonly string[]
  return Object.entries(properties).map(([name, property]) => {
    const type = property.enum
      ? property.enum.map(value => `\`${String(value)}\``).join(', ')
      : [property.type ?? 'any'].flat().join(' or ')
    const fallback =
      property.default === undefined ? '' : ` Default: \`${JSON.stringify(property.default)}\`.`
    return `| \`${name}\` | ${cell(type)} | ${required.includes(name) ? 'yes' : 'no'} | ${cell(property.description ?? '')}${fallback} |`
  })
}
