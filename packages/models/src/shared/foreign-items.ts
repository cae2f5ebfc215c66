/** Calls that another provider ran, as text: for models that cannot read its items. Pure. */
import { asString, isObject } from '@toolwire/core'

const MAX_LENGTH = 20_000

/** Undefined for items that say nothing by themselves. */
export function foreignText(data: unknown): string | undefined {
  if (!isObject(data)) return undefined
  return textOf(data)?.slice(0, MAX_LENGTH)
}

function textOf(item: Readonly<Record<string, unknown>>): string | undefined {
  const { name, arguments: input, output, error, code, outputs, queries, results } = item
  switch (item['type']) {
    case 'mcp_call':
      return `[Call of ${asString(name) ?? 'a tool'} with ${asString(input) ?? '{}'}: ${asString(output) ?? asString(error) ?? 'no output'}]`
    case 'code_interpreter_call':
      return `[Code that was run:\n${asString(code) ?? ''}\nOutput:\n${join(outputs, 'logs')}]`
    case 'file_search_call':
      return `[Search of files for ${Array.isArray(queries) ? queries.filter(one => typeof one === 'string').join(', ') : ''}:\n${join(results, 'text')}]`
    default:
      return undefined
  }
}

const join = (list: unknown, field: string): string =>
  Array.isArray(list)
    ? list.flatMap(one => (isObject(one) && typeof one[field] === 'string' ? [one[field]] : [])).join('\n')
    : ''
