/** Charset and line ends of a file that does not exist yet: what the project says, else UTF-8 and LF. */
import { stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { globMatcher } from '../globs/glob-matcher.ts'
import { filterOften } from '../yield-often.ts'
import { editorConfigOf, preferredCharset } from './editorconfig.ts'
import { readSideFile } from './side-file.ts'

export interface FileStyle {
  readonly charset: string
  readonly eol: string
  readonly bom: boolean
}

export async function newFileStyle(path: string): Promise<FileStyle> {
  const { charset, end_of_line } = await editorConfigOf(path)
  const eol = end_of_line ?? (await gitEol(path)) ?? 'lf'
  return {
    charset: (await preferredCharset(path)) ?? 'utf-8',
    eol: eol === 'crlf' ? 'crlf' : 'lf',
    bom: charset === 'utf-8-bom' || charset === 'utf-16le' || charset === 'utf-16be',
  }
}

/** Of a file; what follows is not read. */
const MAX_CHARS = 64 * 1024
const MAX_LINES = 500

const eolLines = (text: string): readonly string[] =>
  text
    .slice(0, MAX_CHARS)
    .split('\n')
    .filter(line => line.includes('eol='))
    .slice(-MAX_LINES)

/**
 * `eol=` of the nearest `.gitattributes` that says it of this file; of its lines the last wins, as in git. Beyond the
 * top of a repository nothing is asked.
 */
async function gitEol(path: string): Promise<string | undefined> {
  for (let dir = dirname(path); ; dir = dirname(dir)) {
    const text = await readSideFile(join(dir, '.gitattributes'))
    const found = text && (await filterOften(eolLines(text), line => fits(line, relative(dir, path)))).at(-1)
    if (found) return /\beol=(\w+)/.exec(found)?.[1]
    if (dirname(dir) === dir || (await isRepository(dir))) return undefined
  }
}

const isRepository = (dir: string): Promise<boolean> =>
  stat(join(dir, '.git')).then(
    () => true,
    () => false,
  )

/** A pattern with a slash is a path from the file's own directory; one without matches at any depth. */
function fits(line: string, path: string): boolean {
  const [pattern = '', ...attributes] = line.trim().split(/\s+/)
  if (!attributes.some(one => one.startsWith('eol='))) return false
  const glob = pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`
  return globMatcher(glob)(path)
}
