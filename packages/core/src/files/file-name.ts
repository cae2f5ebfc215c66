/** Names of files as their senders give them: nothing of them is a path, and nothing changes how a line is read. */

const MAX_NAME = 200
/** Control characters, marks that change the direction of text, and characters without width. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu

/** The last part of the path, harmless to print; `file` when nothing is left. Pure. */
export function safeFileName(name: string): string {
  const last =
    name
      .slice(-4 * MAX_NAME)
      .split(/[/\\]/)
      .at(-1) ?? ''
  const clean = last.toWellFormed().replaceAll(HIDDEN, '').replaceAll('\uFFFD', '').trim()
  const whole = [...clean]
  const short = whole.length <= MAX_NAME ? clean : shorten(whole)
  return /^\.*$/.test(short) ? 'file' : short
}

/** Keeps the extension, by which programs choose what to do. */
function shorten(name: readonly string[]): string {
  const text = name.join('')
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(text)?.[0] ?? ''
  return name.slice(0, MAX_NAME - extension.length).join('') + extension
}

/** The value of Content-Disposition, by RFC 6266 and 5987. Pure. */
export function contentDisposition(disposition: 'inline' | 'attachment', filename: string): string {
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** The name in a Content-Disposition, as it was given; undefined without one. Pure. */
export function nameInDisposition(value: string): string | undefined {
  const encoded = /;\s*filename\*\s*=\s*utf-8'[^']{0,40}'([^;\s]{1,4000})/i.exec(value)?.[1]
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded)
    } catch {
      // The plain name may be valid.
    }
  }
  const [, quoted, token] =
    /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.){0,4000})"|([^";\s]{1,4000}))/i.exec(value) ?? []
  // Browsers escape quotes and line ends by percent, others by a backslash.
  return (quoted?.replaceAll(/\\(["\\])/g, '$1') ?? token)?.replaceAll('%22', '"')
}
