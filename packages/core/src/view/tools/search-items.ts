/** Results of searches as rows, from the texts and data that search tools give. */
import { asText, field } from './call-input.ts'
import type { SearchItem } from './tool-body.ts'

/** Notice lines, which are not results. */
const NOTICE = /^(?:\s*$|--$|[([]|No (?:files|matches) found|Found \d+ files?$)/

/** `path:12:text`, `path-12-text` (context), `path:3` (a count) or a bare path per line. */
export function readSearchLines(text: string): readonly SearchItem[] {
  return text.split('\n').flatMap(line => {
    if (NOTICE.test(line)) return []
    // The shortest path wins, so that a number inside the text is not taken for the line.
    const hit = /^((?:[A-Za-z]:)?[^:]*?):(\d+):(.*)$/.exec(line) ?? /^(.+?)-(\d+)-(.*)$/.exec(line)
    if (!hit) return [{ title: line.trim(), path: line.trim() }]
    const [, path = '', number, rest = ''] = hit
    return [{ title: `${path}:${number}`, path, line: Number(number), text: rest }]
  })
}

/** Paths that a search gave as data; undefined when it gave none. */
export function toPathItems(structured: unknown): readonly SearchItem[] | undefined {
  const names = field(structured, 'filenames')
  if (!Array.isArray(names)) return undefined
  return names.flatMap((name: unknown) => (typeof name === 'string' ? [{ title: name, path: name }] : []))
}

/** Rows of a web search; undefined when the data has none. */
export function toWebItems(structured: unknown): readonly SearchItem[] | undefined {
  const results = field(structured, 'results') ?? structured
  if (!Array.isArray(results)) return undefined
  return results.flatMap((result: unknown) => {
    const url = field(result, 'url')
    if (typeof url !== 'string') return []
    const title = asText(field(result, 'title')) || url
    const text = asText(field(result, 'snippet') ?? field(result, 'content'))
    return [{ title, url, ...(text ? { text } : {}) }]
  })
}
