/** Settings of `.editorconfig` for a file: charset and line ends. Only the keys used here are read. */
import { dirname, join, relative } from 'node:path'
import { globMatcher } from '../globs/glob-matcher.ts'
import { filterOften } from '../yield-often.ts'
import { charsetNamed } from './charset-name.ts'
import { readSideFile } from './side-file.ts'

export interface EditorConfig {
  readonly charset?: string
  readonly end_of_line?: string
}

/** The charset for files that do not say it themselves; undefined where none is named that is known. */
export async function preferredCharset(path: string): Promise<string | undefined> {
  const { charset } = await editorConfigOf(path)
  return charset === undefined ? undefined : charsetNamed(charset)
}

/** The nearest file wins; `root = true` ends the search, `unset` takes back. Missing or unreadable files count as empty. */
export async function editorConfigOf(path: string): Promise<EditorConfig> {
  const found = await allOf(path)
  const set = Object.entries(found).filter(([, value]) => value !== 'unset')
  return Object.fromEntries(set)
}

async function allOf(path: string): Promise<EditorConfig> {
  let found: EditorConfig = {}
  for (let dir = dirname(path); ; dir = dirname(dir)) {
    const text = await readSideFile(join(dir, '.editorconfig'))
    if (text !== undefined) {
      const { values, root } = await sectionsFor(text, relative(dir, path))
      found = { ...values, ...found }
      if (root) return found
    }
    if (dirname(dir) === dir) return found
  }
}

/** Of a file; what follows is not read. */
const MAX_CHARS = 64 * 1024
/** Of a line; longer ones are passed over, as the format allows. */
const MAX_LINE = 4096
const MAX_SECTIONS = 500

async function sectionsFor(
  text: string,
  name: string,
): Promise<{ readonly values: EditorConfig; readonly root: boolean }> {
  const [top, ...sections] = sectionsOf(text)
  const fitting = await filterOften(sections.slice(0, MAX_SECTIONS), ({ glob }) => matches(glob, name))
  const found = new Map(fitting.flatMap(({ pairs }) => pairs))
  const [charset, end_of_line] = [found.get('charset'), found.get('end_of_line')]
  return {
    root: new Map(top?.pairs).get('root') === 'true',
    values: { ...(charset ? { charset } : {}), ...(end_of_line ? { end_of_line } : {}) },
  }
}

interface Section {
  /** Empty for what comes before the first section, and for one that cannot be read. */
  readonly glob: string
  readonly pairs: (readonly [key: string, value: string])[]
}

/** Reads line by line: an expression over the whole text would begin again at each of its blanks. */
function sectionsOf(text: string): readonly Section[] {
  const sections: Section[] = [{ glob: '', pairs: [] }]
  for (const given of text.slice(0, MAX_CHARS).split('\n')) {
    const line = given.trim()
    if (line.length > MAX_LINE) continue
    const pair = PAIR.exec(line)
    if (line.startsWith('[')) sections.push({ glob: line.endsWith(']') ? line.slice(1, -1) : '', pairs: [] })
    else if (pair)
      sections.at(-1)?.pairs.push([pair[1] ?? '', line.slice(pair[0].length).trim().toLowerCase()])
  }
  return sections
}

const PAIR = /^([\w-]+)\s*[=:]/

function matches(section: string, name: string): boolean {
  if (section === '') return false
  const glob = section.includes('/') ? section.replace(/^\//, '') : `**/${section}`
  return globMatcher(glob)(name)
}
