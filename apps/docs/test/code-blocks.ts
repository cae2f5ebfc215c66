/** The code blocks of all pages, for the tests that run or type-check them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listPages, ROOT, sourceOf } from '../src/pages.ts'

/**
 * A block says `not run: reason` behind its language, or in a comment on the line above, `<!-- not run: reason -->`,
 * for tests that read its opening line. Such a comment may also give what the block takes for granted:
 * `<!-- given: declare const id: string -->`, and for a shell `<!-- given: ID=$(…) -->`.
 */
export interface CodeBlock {
  /** Relative to the root of the repository. */
  readonly file: string
  readonly line: number
  readonly language: string
  readonly notRun?: string
  readonly given: string
  readonly text: string
}

const ALSO_READ = ['README.md', 'README.zh-CN.md']
const BLOCK = /^(?:<!-- (not run|given): (.+) -->\n)?```([a-z]*)(?: not run: (.+)| .*)?\n([\s\S]*?)^```$/gm

/** Blocks in the order of their pages. */
export const readBlocks = (): readonly CodeBlock[] =>
  [...listPages().map(sourceOf), ...ALSO_READ].flatMap(file =>
    toBlocks(file, readFileSync(join(ROOT, file), 'utf8')),
  )

export function toBlocks(file: string, markdown: string): readonly CodeBlock[] {
  return [...markdown.matchAll(BLOCK)].map(match => {
    const [, mark, words = '', language = '', reason, text = ''] = match
    const notRun = mark === 'not run' ? words : reason
    return {
      file,
      line: markdown.slice(0, match.index).split('\n').length + (mark === undefined ? 0 : 1),
      language,
      ...(notRun === undefined ? {} : { notRun }),
      given: mark === 'given' ? words : '',
      text,
    }
  })
}

/** A name for messages, such as `docs/start.md:12`. */
export const nameOf = ({ file, line }: Pick<CodeBlock, 'file' | 'line'>): string => `${file}:${line}`
