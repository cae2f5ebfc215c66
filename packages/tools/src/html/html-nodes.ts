/** Queries of the converter on a parsed page. */
import type { HtmlElement, HtmlNode } from './parse-html.ts'

/** Elements whose text is not for readers. */
const UNREAD: ReadonlySet<string> = new Set([
  'canvas',
  'iframe',
  'noscript',
  'object',
  'script',
  'style',
  'svg',
  'template',
  'title',
])

/** An element that readers see. */
export const isRead = (node: HtmlNode): node is HtmlElement => 'attribs' in node && !UNREAD.has(node.name)

/** Every character of the text inside, in its order. */
export function textIn(nodes: readonly HtmlNode[]): string {
  const texts: string[] = []
  const left = nodes.toReversed()
  for (let node = left.pop(); node; node = left.pop()) {
    if (node.type === 'text') texts.push(node.data)
    else if (isRead(node)) for (const child of node.children.toReversed()) left.push(child)
  }
  return texts.join('')
}

/** The elements of these names inside, in their order, but none inside of another one. */
export function outermost(nodes: readonly HtmlNode[], names: ReadonlySet<string>): readonly HtmlElement[] {
  const found: HtmlElement[] = []
  const left = nodes.toReversed()
  for (let node = left.pop(); node; node = left.pop()) {
    if (!isRead(node)) continue
    if (names.has(node.name)) found.push(node)
    else for (const child of node.children.toReversed()) left.push(child)
  }
  return found
}
