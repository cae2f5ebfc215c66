/** Addresses out of what models and tools wrote. Whatever is not known to be harmless is refused. */
import type { ContentPart } from '../../../event.ts'
import { fileContentPath } from '../../../files/inline-part.ts'

const LINKS: ReadonlySet<string> = new Set(['https:', 'http:', 'mailto:'])
/** An uploaded file, at the server that the page came from. Others than images are sent as downloads. */
const UPLOADED = /^\/api\/files\/(file_[A-Za-z0-9]{1,64})\/content\?disposition=inline$/
const INLINE = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,/i

/** The target of a link, with the host shown beside it; undefined if it must not be a link. */
export function linkAddress(href: string): { readonly href: string; readonly host: string } | undefined {
  const url = URL.parse(href)
  if (!url || !LINKS.has(url.protocol)) return undefined
  return { href: url.href, host: url.protocol === 'mailto:' ? url.pathname : url.host }
}

/**
 * True if a link's text is its own host or address, so that showing the host adds nothing. A text that only
 * contains the host is false: it may imitate another address.
 */
export function namesHost(text: string, host: string): boolean {
  const said = text.trim()
  return said === host || (/^[a-z]+:\/\/\S+$/i.test(said) && URL.parse(said)?.host === host)
}

export type ImageAddress =
  | { readonly type: 'inline'; readonly src: string }
  /** A file at the server: read with the client, whose credential an address does not carry. */
  | { readonly type: 'stored'; readonly src: string; readonly file_id: string }
  /** Fetched only when somebody asks for it. */
  | { readonly type: 'remote'; readonly src: string; readonly host: string }
  | { readonly type: 'refused' }

export function imageAddress(src: string): ImageAddress {
  if (INLINE.test(src)) return { type: 'inline', src }
  const file_id = UPLOADED.exec(src)?.[1]
  if (file_id !== undefined) return { type: 'stored', src, file_id }
  const url = URL.parse(src)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return { type: 'refused' }
  return { type: 'remote', src: url.href, host: url.host }
}

type Source = Exclude<ContentPart, { type: 'text' }>['source']

/** The address of a message image; '' if only the server has its bytes. */
export function sourceAddress(source: Source): string {
  if (source.type === 'url') return source.url
  if (source.type === 'file') return fileContentPath(source)
  return source.type === 'base64' ? `data:${source.media_type};base64,${source.data}` : ''
}
