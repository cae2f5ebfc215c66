/** A fetched page as text for the model: HTML as Markdown, text as it is; undefined for anything else. */
import { NodeHtmlMarkdown } from 'node-html-markdown'
import { decode, detectCharset } from '../files/charset.ts'
import { titleOf, wordsOf } from './scan-html.ts'

export interface PageText {
  readonly text: string
  readonly title?: string
}

/** Converting takes time and stack by size; more than this is cut. */
const MAX_HTML = 2 * 1024 * 1024
const LEFT_OUT = ['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'canvas', 'object']

/** `url` is what relative links are relative to. Never throws. */
export function pageText(bytes: Uint8Array, content_type: string, url: string): PageText | undefined {
  const type = content_type.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!isText(type, bytes)) return undefined
  const declared = /charset\s*=\s*"?([\w-]+)/i.exec(content_type)?.[1] ?? metaCharset(bytes)
  // What is beyond the limit of a page was not fetched.
  const text = decode(bytes, detectCharset(bytes, declared, true))
  if (!/html/.test(type) && !(type === '' && /^\s*<(!doctype html|html)/i.test(text))) return { text }
  const title = titleOf(text.slice(0, 200_000))
  return { text: toMarkdown(text.slice(0, MAX_HTML), url), ...(title ? { title } : {}) }
}

function isText(type: string, bytes: Uint8Array): boolean {
  if (type === '' || type === 'application/octet-stream') return !bytes.subarray(0, 4096).includes(0)
  return /^text\/|[/+](json|xml|yaml|javascript|ecmascript|x-ndjson|toml)$|html/.test(type)
}

const metaCharset = (bytes: Uint8Array): string | undefined =>
  /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(Buffer.from(bytes.subarray(0, 4096)).toString('latin1'))?.[1]

function toMarkdown(html: string, url: string): string {
  try {
    const markdown = NodeHtmlMarkdown.translate(html, { ignore: LEFT_OUT, maxConsecutiveNewlines: 2 })
    return markdown.replaceAll(
      /\]\((?!#|[a-z][a-z\d+.-]*:)([^)\s]+)/gi,
      (whole, link: string) => `](${URL.parse(link, url)?.href ?? whole.slice(2)}`,
    )
  } catch {
    // Nested beyond the stack: only its words are left.
    return wordsOf(html)
  }
}
