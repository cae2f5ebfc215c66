/**
 * Extracts the text of HTML without a parser: every character is visited a few times at most, for any page. A
 * pattern with `[^>]*` would restart at each of thousands of `<`.
 */

/** Its words alone: tags, scripts and styles become blanks. */
export const wordsOf = (html: string): string => withoutTags(withoutScripts(html))

function withoutScripts(html: string): string {
  const opening = /<(script|style)/gi
  const unclosed = new Set<string>()
  const kept: string[] = []
  let from = 0
  for (let found = opening.exec(html); found; found = opening.exec(html)) {
    const name = found[1]?.toLowerCase() ?? ''
    if (unclosed.has(name)) continue
    const closing = new RegExp(`</${name}>`, 'gi')
    closing.lastIndex = opening.lastIndex
    if (!closing.test(html)) {
      unclosed.add(name)
      continue
    }
    kept.push(html.slice(from, found.index))
    from = closing.lastIndex
    opening.lastIndex = from
  }
  return [...kept, html.slice(from)].join(' ')
}

function withoutTags(html: string): string {
  const kept: string[] = []
  let from = 0
  for (;;) {
    const start = html.indexOf('<', from)
    const end = start === -1 ? -1 : html.indexOf('>', start)
    if (end === -1) return [...kept, html.slice(from)].join(' ')
    kept.push(html.slice(from, start))
    from = end + 1
  }
}
