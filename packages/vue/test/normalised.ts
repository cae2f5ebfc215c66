/** A page as comparable lines, for either framework. */
import { JSDOM } from 'jsdom'

/** Ids that a framework makes up, and what refers to them. */
const OWN_IDS: ReadonlySet<string> = new Set([
  'for',
  'name',
  'aria-controls',
  'aria-describedby',
  'aria-labelledby',
])

/** One line per element and text, attributes in order of name. */
export function normalised(html: string): readonly string[] {
  const { document, Node } = new JSDOM(`<body>${html}</body>`).window
  const lines: string[] = []
  const walk = (node: Node, depth: number): void => {
    if (node.nodeType === Node.TEXT_NODE) {
      if (node.textContent) lines.push(`${'  '.repeat(depth)}${JSON.stringify(node.textContent)}`)
      return
    }
    if (node.nodeType !== Node.ELEMENT_NODE) return
    const element = node as Element
    lines.push(`${'  '.repeat(depth)}<${element.tagName.toLowerCase()}${attributes(element)}>`)
    for (const child of element.childNodes) walk(child, depth + 1)
  }
  document.body.normalize()
  for (const comment of comments(document)) comment.remove()
  document.body.normalize()
  for (const child of document.body.childNodes) walk(child, 0)
  return lines
}

function comments(document: Document): readonly ChildNode[] {
  const walker = document.createTreeWalker(document.body, 128)
  const found: ChildNode[] = []
  while (walker.nextNode()) found.push(walker.currentNode as ChildNode)
  return found
}

const attributes = (element: Element): string =>
  [...element.attributes]
    .filter(({ name, value }) => !OWN_IDS.has(name) && (name !== 'id' || value.startsWith('call-')))
    .map(
      ({ name, value }) =>
        ` ${name}=${JSON.stringify(name === 'style' ? value.replaceAll(/\s|;$/g, '') : value)}`,
    )
    .sort()
    .join('')
