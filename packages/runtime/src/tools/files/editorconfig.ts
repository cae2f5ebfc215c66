/** What `.editorconfig` says of a file: charset and line ends. Only the keys used here are read. */
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { globMatcher } from '../../globs/glob-matcher.ts'
import { charsetNamed } from './charset-name.ts'

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
    const text = await readFile(join(dir, '.editorconfig'), 'utf8').catch(() => undefined)
    if (text !== undefined) {
      const { values, root } = sectionsFor(text, relative(dir, path))
      found = { ...values, ...found }
      if (root) return found
    }
    if (dirname(dir) === dir) return found
  }
}

function sectionsFor(text: string, name: string): { readonly values: EditorConfig; readonly root: boolean } {
  const [top = '', ...sections] = text.split(/^(?=\s*\[)/m)
  const values = Object.assign({}, ...sections.map(section => valuesOf(section, name))) as Record<
    string,
    string
  >
  const { charset, end_of_line } = values
  return {
    root: pairs(top)['root'] === 'true',
    values: { ...(charset ? { charset } : {}), ...(end_of_line ? { end_of_line } : {}) },
  }
}

function valuesOf(section: string, name: string): Readonly<Record<string, string>> {
  const glob = /^\s*\[(.+)\]\s*$/m.exec(section)?.[1]
  return glob !== undefined && matches(glob, name) ? pairs(section) : {}
}

const pairs = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(/^[^\S\n]*([\w-]+)[^\S\n]*[=:][^\S\n]*(.*?)\s*$/gm)].map(([, key = '', value = '']) => [
      key,
      value.toLowerCase(),
    ]),
  )

function matches(section: string, name: string): boolean {
  const glob = section.includes('/') ? section.replace(/^\//, '') : `**/${section}`
  return globMatcher(glob)(name)
}
