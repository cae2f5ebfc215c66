/** The inside of a fenced block of Markdown. */
import type { MarkdownBlock } from '../../markdown-blocks.ts'

/** Without the fence, also one that is not closed yet, and without the indentation that it had. */
export function fencedCode({ raw, lang = '' }: Pick<MarkdownBlock, 'raw' | 'lang'>): {
  readonly code: string
  readonly lang: string
} {
  const lines = raw.replace(/\n$/, '').split('\n')
  const opening = /^( *)(`{3,}|~{3,})/.exec(lines[0] ?? '')
  const indent = opening?.[1]?.length ?? 0
  const fence = opening?.[2] ?? '```'
  const last = lines.at(-1)?.trim() ?? ''
  const closed = lines.length > 1 && last.startsWith(fence) && last === fence.charAt(0).repeat(last.length)
  const body = lines.slice(1, closed ? -1 : undefined)
  const code = indent === 0 ? body : body.map(line => line.replace(new RegExp(`^ {1,${indent}}`), ''))
  return { code: code.join('\n'), lang }
}
