/** The HTML that a tool has given, when its output is a page: as a whole, or as a resource of an MCP server. */

const PAGE = /^\s*<(?:!doctype\s+html|html)\b/i
/** A resource follows its address. One that is made to be shown has a special address scheme. */
const RESOURCE = /^\[([a-z][a-z0-9+.-]*:[^\]\s]+)\]\n/im
const CUT = /^\[Output cut: [^\n]*\n/

/** Undefined for anything else. Pure, and linear in its length. */
export function htmlOf(output: string | undefined): string | undefined {
  if (output === undefined) return undefined
  const text = output.replace(CUT, '')
  if (PAGE.test(text)) return text
  const found = RESOURCE.exec(text)
  if (!found?.[1]) return undefined
  const rest = text.slice(found.index + found[0].length)
  const next = rest.search(/^\[ui:\/\/[^\]\s]+\]\n/im)
  const body = next === -1 ? rest : rest.slice(0, next)
  return found[1].toLowerCase().startsWith('ui://') || PAGE.test(body) ? body : undefined
}
