/**
 * Reads a SKILL.md: fields in YAML between a first line `---` and the next such line, then the body. Strangers write these
 * files: values are strings, lists and maps of strings, without aliases, types or repeated keys. Pure.
 */
import { parseDocument } from 'yaml'

export interface FrontMatter {
  /** Strings, lists and maps of strings. Empty for a file without fields. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Everything behind the fields, unchanged but for the line ends. */
  readonly body: string
  /** The reason that the fields cannot be read. */
  readonly problem?: string
}

const MAX_FIELDS = 64 * 1024
/** Lines, and marks of YAML's structure: thousands of them keep the parser busy for seconds. */
const MAX_LINES = 1_000
const MAX_MARKS = 1_000
const FENCE = '---'

export function readFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  if (lines[0]?.trimEnd() !== FENCE)
    return { fields: {}, body: lines.join('\n'), problem: 'it does not begin with a line ---' }
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === FENCE)
  if (end === -1) return { fields: {}, body: '', problem: 'its fields have no closing line ---' }
  const body = lines.slice(end + 1).join('\n')
  const source = lines.slice(1, end)
  if (source.reduce((sum, line) => sum + line.length + 1, 0) > MAX_FIELDS)
    return { fields: {}, body, problem: `its fields have more than ${MAX_FIELDS} characters` }
  if (source.length > MAX_LINES || countMarks(source) > MAX_MARKS)
    return { fields: {}, body, problem: 'its fields have too many parts' }
  const read = parseFields(source.join('\n'))
  if (!('problem' in read)) return { ...read, body }
  // Descriptions often hold a colon, which YAML wants quoted.
  const quoted = parseFields(source.map(quoteValue).join('\n'))
  return 'problem' in quoted ? { fields: {}, body, problem: read.problem } : { ...quoted, body }
}

const countMarks = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + (line.match(/[[\]{}!&*?|>%\t]|[-:](?=\s|$)/g)?.length ?? 0), 0)

type ParsedFields = { readonly fields: Readonly<Record<string, unknown>> } | { readonly problem: string }

function parseFields(source: string): ParsedFields {
  try {
    const document = parseDocument(source, { schema: 'failsafe', uniqueKeys: true, logLevel: 'silent' })
    const [error] = document.errors
    if (error) return { problem: firstLine(error.message) }
    // An alias is refused: nested ones grow without bound.
    const value: unknown = document.toJS({ maxAliasCount: 0 })
    if (value === null || value === undefined || value === '') return { fields: {} }
    if (typeof value !== 'object' || Array.isArray(value))
      return { problem: 'its fields are not `name: value` lines' }
    return { fields: value as Readonly<Record<string, unknown>> }
  } catch (error) {
    return { problem: firstLine(error instanceof Error ? error.message : String(error)) }
  }
}

/** `name: a: b` with the value in quotes; other lines as they are. */
function quoteValue(line: string): string {
  const [, key = '', value = ''] = /^([A-Za-z][\w-]*):[ \t]+(.*)$/.exec(line) ?? []
  if (key === '' || !/:(?:\s|$)| #/.test(value) || /^["'|>[{]/.test(value)) return line
  return `${key}: '${value.trimEnd().replaceAll("'", "''")}'`
}

const firstLine = (message: string): string => (message.split('\n')[0] ?? '').slice(0, 200)
