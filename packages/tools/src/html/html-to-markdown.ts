/**
 * Converts HTML to Markdown for a model: headings, paragraphs, lists, quotes, code, tables, links and images. Text
 * is not escaped, because it is not rendered. Pages are untrusted: time grows linearly with size, for any content
 * and any depth.
 */
import { isRead, textIn } from './html-nodes.ts'
import { MarkdownWriter } from './markdown-writer.ts'
import { type HtmlElement, type HtmlNode, parseHtml } from './parse-html.ts'
import { tableRows } from './table-rows.ts'

const MARKS: ReadonlyMap<string, string> = new Map([
  ['b', '**'],
  ['strong', '**'],
  ['em', '_'],
  ['i', '_'],
  ['del', '~~'],
  ['s', '~~'],
])
/** Blocks, and how many line breaks keep them apart from their neighbours. */
const BLOCKS: ReadonlyMap<string, 1 | 2> = new Map([
  ...'article aside blockquote dl fieldset figure footer form header main nav p section table'
    .split(' ')
    .map(name => [name, 2] as const),
  ...'address body caption dd details div dt figcaption html legend li option summary td th tr'
    .split(' ')
    .map(name => [name, 1] as const),
])

interface ConversionContext {
  readonly writer: MarkdownWriter
  /** Base of relative addresses. */
  readonly base: string | undefined
  /** Nested links are dropped. */
  readonly isInLink?: boolean
}

/** The page as Markdown; `base` is what relative links are relative to. Never throws. */
export function htmlToMarkdown(html: string, base?: string): string {
  const writer = new MarkdownWriter()
  const { nodes, rest } = parseHtml(html)
  writeAll(nodes, { writer, base })
  writer.breakLine(2)
  writer.words(rest)
  return writer.toString()
}

function writeAll(nodes: readonly HtmlNode[], place: ConversionContext): void {
  for (const node of nodes)
    if (node.type === 'text') place.writer.words(node.data)
    else if (isRead(node)) writeElement(node, place)
}

function writeElement(element: HtmlElement, place: ConversionContext): void {
  const { writer } = place
  const { name, children } = element
  const inside = (): void => writeAll(children, place)
  const lines = BLOCKS.get(name)
  if (lines) writer.breakLine(lines)
  const mark = MARKS.get(name)
  if (mark) writer.emphasised(mark, inside)
  else (WAYS.get(name) ?? inside)(element, place)
  if (lines) writer.breakLine(lines)
}

type Way = (element: HtmlElement, place: ConversionContext) => void

const WAYS: ReadonlyMap<string, Way> = new Map<string, Way>([
  ...[1, 2, 3, 4, 5, 6].map(level => [`h${level}`, heading(level)] as const),
  ['ul', (element, place) => writeList(element, place, () => '- ')],
  ['ol', (element, place) => writeList(element, place, numbers(element))],
  ['blockquote', ({ children }, place) => place.writer.indented('> ', '> ', () => writeAll(children, place))],
  ['br', (_, { writer }) => writer.breakLine(1)],
  ['hr', (_, { writer }) => writer.lines('---')],
  ['pre', ({ children }, { writer }) => writer.lines(fenced(textIn(children), languageOf(children)))],
  ['code', ({ children }, { writer }) => writeCode(textIn(children).trim(), writer)],
  ['a', writeLink],
  ['img', writePicture],
  ['table', writeTable],
])

function heading(level: number): Way {
  return ({ children }, place) => {
    const text = onOneLine(children, place)
    place.writer.breakLine(2)
    if (text !== '') place.writer.piece(place.writer.isFlat ? text : `${'#'.repeat(level)} ${text}`)
    place.writer.breakLine(2)
  }
}

/** The content without line breaks. */
function onOneLine(nodes: readonly HtmlNode[], place: ConversionContext): string {
  const writer = new MarkdownWriter({ isFlat: true })
  writeAll(nodes, { ...place, writer })
  return writer.toString()
}

const numbers = ({ attribs }: HtmlElement): ((at: number) => string) => {
  const start = Number.parseInt(attribs['start'] ?? '1', 10)
  return at => `${(Number.isSafeInteger(start) ? start : 1) + at}. `
}

function writeList(
  { children }: HtmlElement,
  place: ConversionContext,
  markOf: (at: number) => string,
): void {
  const { writer } = place
  writer.breakLine(writer.isIndented ? 1 : 2)
  let at = 0
  for (const node of children)
    if (isRead(node) && node.name === 'li') {
      const mark = markOf(at++)
      writer.indented(mark, ' '.repeat(mark.length), () => writeElement(node, place))
    } else writeAll([node], place)
  writer.breakLine(writer.isIndented ? 1 : 2)
}

/** A fence that no line of the text can be taken for. */
function fenced(text: string, language: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/^\n/, '').trimEnd()}\n${fence}`
}

const languageOf = (nodes: readonly HtmlNode[]): string => {
  const code = nodes.find(node => isRead(node) && node.name === 'code')
  const names = code && isRead(code) ? (code.attribs['class'] ?? '') : ''
  return /(?:^|\s)lang(?:uage)?-([\w+#-]+)/.exec(names)?.[1] ?? ''
}

function writeCode(text: string, writer: MarkdownWriter): void {
  if (text === '') return
  const folded = text.replaceAll(/\s+/g, ' ')
  writer.piece(folded.includes('`') ? `\`\` ${folded} \`\`` : `\`${folded}\``)
}

/** A link with words. Its blocks are put on one line; without an address that can be followed its words alone are left. */
function writeLink(element: HtmlElement, place: ConversionContext): void {
  const href = addressOf(element.attribs['href'], place.base)
  if (href === undefined || place.isInLink) {
    writeAll(element.children, place)
    return
  }
  const text = onOneLine(element.children, { ...place, isInLink: true })
  if (text !== '') place.writer.piece(`[${text}](${href})`)
}

/** Inline data is of no use to a reader of text. */
function writePicture({ attribs }: HtmlElement, { writer, base }: ConversionContext): void {
  const alt = (attribs['alt'] ?? '').replaceAll(/\s+/g, ' ').trim()
  const src = addressOf(attribs['src'], base)
  if (src !== undefined) writer.piece(`![${alt}](${src})`)
  else writer.words(alt)
}

/** Undefined for what leads nowhere: scripts and data. */
function addressOf(given: string | undefined, base: string | undefined): string | undefined {
  const address = given?.trim() ?? ''
  if (address === '' || /^(?:javascript|data|vbscript):/i.test(address)) return undefined
  const whole = address.startsWith('#') ? address : (URL.parse(address, base)?.href ?? address)
  return /[\s()<>]/.test(whole) ? `<${whole.replaceAll(/[\s<>]/g, encodeURIComponent)}>` : whole
}

/** A table of data as a table; one that only puts blocks in their places as those blocks. */
function writeTable(table: HtmlElement, place: ConversionContext): void {
  const rows = tableRows(table)
  if (!rows) {
    writeAll(table.children, place)
    return
  }
  const texts = rows.map(row =>
    row.map(cell => onOneLine(cell.children, place).replaceAll('|', String.raw`\|`)),
  )
  const width = texts.reduce((most, row) => Math.max(most, row.length), 0)
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const [head = [], ...body] = texts
  const filled = Array.from({ length: width }, (_, n) => head[n] ?? '')
  place.writer.lines([line(filled), `|${' --- |'.repeat(width)}`, ...body.map(line)].join('\n'))
}
