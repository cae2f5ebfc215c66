/** Results of searches as rows, from the texts and data that search tools give. */
import { field } from './call-input.ts'
import type { SearchItem } from './tool-body.ts'

/** `path:12:text`, `path-12-text` (context) or a bare path per line; notices in brackets are left out. */
export function readSearchLines(text: string): readonly SearchItem[] {
  return text.split('\n').flatMap(line => {
    if (line.trim() === '' || line === '--' || /^[([]/.test(line)) return []
    // The shortest path wins, so that a number inside the text is not taken for the line.
    const hit = /^((?:[A-Za-z]:)?[^:]*?):(\d+):(.*)$/.exec(line)
    if (!hit) return [{ title: line.trim(), path: line.trim() }]
    const [, path = '', number, rest = ''] = hit
    return [{ title: `${path}:${number}`, path, line: Number(number), text: rest }]
  })
}

/** Rows of a web search; undefined when the data has none. */
export function toWebItems(structured: unknown): readonly SearchItem[] | undefined {
  const results = field(structured, 'results') ?? structured
  if (!Array.isArray(results)) return undefined
  return results.flatMap((result: unknown) => {
    const url = field(result, 'url')
    if (typeof url !== 'string') return []
    const title = field(result, 'title')
    const text = field(result, 'snippet') ?? field(result, 'content')
    return [
      {
        title: typeof title === 'string' ? title : url,
        url,
        ...(typeof text === 'string' ? { text } : {}),
      },
    ]
  })
}
