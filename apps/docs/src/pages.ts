/** Finds and reads the pages of the site: the files of `docs/`, and texts that are elsewhere in the repository. */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
export const DOCS = join(ROOT, 'docs')

/** Pages below `repository/` and the files that they show. */
export const REPOSITORY_PAGES: Readonly<Record<string, string>> = {
  client: 'packages/client/README.md',
  react: 'packages/react/README.md',
  vue: 'packages/vue/README.md',
  python: 'clients/python/README.md',
  changelog: 'CHANGELOG.md',
}

/** Every page of the site, as a path below `docs/` without `.md`. */
export function listPages(): readonly string[] {
  const files = globSync('**/*.md', { cwd: DOCS }).filter(file => !file.includes('['))
  const others = Object.keys(REPOSITORY_PAGES).map(name => `repository/${name}`)
  return [...files.map(file => file.replace(/\.md$/, '')), ...others].sort()
}

/** The file of a page, relative to the root of the repository. */
export const sourceOf = (page: string): string =>
  (page.startsWith('repository/') ? REPOSITORY_PAGES[page.slice('repository/'.length)] : undefined) ??
  `docs/${page}.md`

/** The address of a page below the root of the site, without its ending. */
export const addressOf = (page: string): string => page.replace(/(^|\/)README$/, '$1index')

/** The page that shows a file of the repository, if there is one. */
export function pageOf(path: string): string | undefined {
  const name = Object.entries(REPOSITORY_PAGES).find(([, source]) => source === path)?.[0]
  if (name !== undefined) return `repository/${name}`
  return /^docs\/.*\.md$/.test(path) && existsSync(join(ROOT, path))
    ? path.replace(/^docs\/|\.md$/g, '')
    : undefined
}

/** The Markdown of a page without its frontmatter. */
export const readPage = (page: string): string =>
  readFileSync(join(ROOT, sourceOf(page)), 'utf8').replace(/^---\n[\s\S]*?\n---\n+/, '')

export const titleOf = (page: string): string =>
  /^# (.+)$/m.exec(readPage(page))?.[1]?.replaceAll('`', '') ?? page

/** The start of a page's digest, which a translation names as `source_hash`. */
export const hashOf = (page: string): string =>
  createHash('sha256').update(readPage(page)).digest('hex').slice(0, 12)

/** Returns true if the English page has changed since a Chinese page was translated. */
export function isStale(page: string): boolean {
  const named = /^---\n[\s\S]*?^source_hash: *(\S+)$/m.exec(
    readFileSync(join(DOCS, `${page}.md`), 'utf8'),
  )?.[1]
  return named !== hashOf(page.replace(/^zh\//, ''))
}
