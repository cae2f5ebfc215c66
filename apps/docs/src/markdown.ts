/** Makes VitePress read the same Markdown as GitHub: same anchors, same links, and no code or HTML in the text. */
import { posix } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import { addressOf, pageOf, sourceOf } from './pages.ts'

/** The anchor that GitHub gives a heading. */
export const slugify = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-')

/** Vue would evaluate braces in text, and read its directives on code. */
export function escapeText(md: MarkdownRenderer): void {
  const toHtml = (text: string): string => md.utils.escapeHtml(text).replaceAll('{{', '&#123;&#123;')
  md.renderer.rules['text'] = (tokens, index) => toHtml(tokens[index]?.content ?? '')
  md.renderer.rules['code_inline'] = (tokens, index) =>
    `<code v-pre>${md.utils.escapeHtml(tokens[index]?.content ?? '')}</code>`
}

/** HTML is shown as text, so comments have to go first. Code keeps them. */
export function dropComments(md: MarkdownRenderer): void {
  md.core.ruler.before('normalize', 'drop_comments', state => {
    state.src = state.src
      .split(/(^```[\s\S]*?^```$)/m)
      .map((part, index) => (index % 2 === 1 ? part : part.replace(/^<!--[\s\S]*?-->$/gm, '')))
      .join('')
  })
}

/** Points links at pages of the site. A link to another file of the repository becomes plain text. */
export function resolveLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('repository_links', state => {
    const page = String(state.env.relativePath ?? '').replace(/\.md$/, '')
    for (const token of state.tokens) {
      let isDropped = false
      token.children =
        token.children?.filter(child => {
          if (child.type === 'link_open') {
            const href = resolveLink(String(child.attrGet('href') ?? ''), page)
            isDropped = href === undefined
            if (href !== undefined) child.attrSet('href', href)
          }
          return !(isDropped && /^link_(open|close)$/.test(child.type))
        }) ?? null
    }
  })
}

/** Returns the address of a link on a page, undefined for a file that the site does not show. */
export function resolveLink(href: string, page: string): string | undefined {
  if (/^(#|[a-z]+:|\/)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const source = sourceOf(page === 'index' ? 'README' : page.replace(/\/index$/, '/README'))
  const target = pageOf(posix.join(posix.dirname(source), decodeURIComponent(path)))
  if (target === undefined) return undefined
  return `/${addressOf(target)}.md${anchor === undefined ? '' : `#${anchor}`}`
}
