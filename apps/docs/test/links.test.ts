/** Links between the files of the repository, as they are followed on a code host. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { slugify } from '../src/markdown.ts'
import { ROOT } from '../src/pages.ts'

const files = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md', 'clients/*/README.md'], { cwd: ROOT })
const toProse = (markdown: string): string =>
  markdown
    .replace(/^```[\s\S]*?^```$/gm, '')
    .replace(/(?<!`)`[^`\n]*`(?!`)/g, code => code.replace(/[\][()]/g, ''))

function anchorsOf(file: string): ReadonlySet<string> {
  const seen = new Map<string, number>()
  const headings = toProse(readFileSync(join(ROOT, file), 'utf8')).matchAll(/^#{1,6} (.+)$/gm)
  return new Set(
    [...headings].map(([, heading = '']) => {
      const anchor = slugify(heading.replaceAll('`', '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
      const before = seen.get(anchor) ?? 0
      seen.set(anchor, before + 1)
      return before === 0 ? anchor : `${anchor}-${before}`
    }),
  )
}

test.each(files)('every link of %s leads to a file, and to a heading in it', file => {
  const dead = [...toProse(readFileSync(join(ROOT, file), 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(
    ([, href = '']) => {
      if (/^[a-z]+:/.test(href)) return []
      const [path = '', anchor] = href.split('#')
      const target = path === '' ? file : relative(ROOT, join(ROOT, dirname(file), decodeURIComponent(path)))
      const isDead =
        !existsSync(join(ROOT, target)) ||
        (anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(decodeURIComponent(anchor)))
      return isDead ? [href] : []
    },
  )
  expect(dead).toEqual([])
})
