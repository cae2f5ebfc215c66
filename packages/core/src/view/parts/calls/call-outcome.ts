/** The outcome of a call in a few words, for a card that is folded. Pure. */
import type { ToolBody } from '../../tools/tool-body.ts'
import type { CallView } from '../../view.ts'
import { shortLine } from '../text/display-lines.ts'

/** Lines added and removed, the reason of a denial, or the answer to a question; '' for other calls. */
export function callOutcome({ state, approval }: CallView, body: ToolBody): string {
  if (state === 'denied') return firstLine(approval?.reason ?? '')
  if (state !== 'success') return ''
  if (body.kind === 'diff') return `+${body.added} −${body.removed}`
  return approval?.kind === 'question' ? firstLine(approval.answer_text ?? '') : ''
}

const firstLine = (text: string): string => shortLine(text.split('\n', 1)[0] ?? '')

/** The name of a call for people: `server · tool` for a tool of an MCP server. */
export const callName = ({ name, server, title }: CallView): string =>
  server === undefined ? name : `${server} · ${title ?? name.replace(/^mcp__.+?__/, '')}`

/** `4 Bash, 1 Write` */
export function countByName(items: readonly { readonly name: string }[]): string {
  const counts = new Map<string, number>()
  for (const { name } of items) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ')
}
