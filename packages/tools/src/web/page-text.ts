/** A fetched page as text for the model: HTML as Markdown, text as it is; undefined for anything else. */
import { decode, detectCharset } from '../files/charset.ts'
import { htmlToMarkdown } from '../html/html-to-markdown.ts'
import { titleOf } from './page-title.ts'

export interface PageText {
  readonly text: string
  readonly title?: string
}

/** Converting takes time by size; more than this is cut. */
const MAX_HTML = 2 * 1024 * 1024

/** `url` is what relative links are relative to. Never throws. */
export function pageText(bytes: Uint8Array, content_type: string, url: string): PageText | undefined {
  const type = content_type.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!isText(type, bytes)) return undefined
  const declared = /charset\s*=\s*"?([\w-]+)/i.exec(content_type)?.[1] ?? metaCharset(bytes)
  // Content beyond the limit of a page was not fetched.
  const text = decode(bytes, detectCharset(bytes, declared, true))
  if (!/html/.test(type) && !(type === '' && /^\s*<(!doctype html|html)/i.test(text))) return { text }
  const title = titleOf(text.slice(0, 200_000))
  return { text: htmlToMarkdown(text.slice(0, MAX_HTML), url), ...(title ? { title } : {}) }
}

function isText(type: string, bytes: Uint8Array): boolean {
  if (type === '' || type === 'application/octet-stream') return !bytes.subarray(0, 4096).includes(0)
  return /^text\/|[/+](json|xml|yaml|javascript|ecmascript|x-ndjson|toml)$|html/.test(type)
}

const metaCharset = (bytes: Uint8Array): string | undefined =>
  /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(Buffer.from(bytes.subarray(0, 4096)).toString('latin1'))?.[1]
