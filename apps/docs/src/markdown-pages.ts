/** Writes every page as Markdown beside its HTML, and `llms.txt` as the list of all. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { resolveLink } from './markdown.ts'
import { SECTIONS } from './navigation.ts'
import { addressOf, listPages, readPage, titleOf } from './pages.ts'

export function writeMarkdownPages(folder: string): void {
  for (const page of listPages()) {
    const file = join(folder, `${addressOf(page)}.md`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, toSiteMarkdown(page))
  }
  writeFileSync(join(folder, 'llms.txt'), createIndex())
  writeFileSync(join(folder, 'llms-full.txt'), createFullText())
}

/** Links outside of code blocks lead to the Markdown of the other page. */
function toSiteMarkdown(page: string): string {
  return readPage(page)
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(/(?<!!)\[([^\]]*)\]\(([^)\s]+)\)/g, (_, text: string, href: string) => {
            const target = resolveLink(href, page)
            return target === undefined ? text : `[${text}](${target})`
          }),
    )
    .join('')
}

/** The first sentence of the page, in one line. */
function summaryOf(page: string): string {
  const prose = readPage(page).replace(/^```[\s\S]*?^```$/gm, '')
  const paragraph = prose.split(/\n\s*\n/).find(part => /^[\p{L}`*[]/u.test(part.trim()))
  const line = (paragraph ?? '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
  return line.replace(/(?<=[.:]) (?=[A-Z`]).*$/, '')
}

function createIndex(): string {
  const sections = SECTIONS.map(({ title, pages }) =>
    [
      `## ${title}`,
      '',
      ...pages.map(page => `- [${titleOf(page)}](/${addressOf(page)}.md): ${summaryOf(page)}`),
    ].join('\n'),
  )
  return `# Toolwire\n\n> Runs the tool calls of an AI agent and streams them, losslessly and resumably, to any client.\n\n${sections.join('\n\n')}\n`
}

function createFullText(): string {
  return SECTIONS.flatMap(section => section.pages)
    .map(page => toSiteMarkdown(page).trim())
    .join('\n\n---\n\n')
    .concat('\n')
}
