/**
 * The title of a page, read without a parser. Pages are untrusted: every character is visited a few times at most,
 * for any page. A pattern with `[^>]*` would restart at each of thousands of `<`.
 */

const MAX_TITLE = 500

/** The first title that is not empty. */
export function titleOf(html: string): string | undefined {
  const opening = /<title/gi
  while (opening.exec(html)) {
    const end = html.indexOf('>', opening.lastIndex)
    if (end === -1) return undefined
    const said = html.slice(end + 1, end + 1 + MAX_TITLE)
    const next = said.indexOf('<')
    const title = next === -1 ? said : said.slice(0, next)
    if (title !== '') return title.trim() || undefined
    // Whatever opens before this end has no other one.
    opening.lastIndex = end + 1
  }
  return undefined
}
