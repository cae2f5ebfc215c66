/** A file that a page wants its reader to keep: in the message itself, or an address at the page's own server. */
import { type Fields, isFields } from './page-message.ts'

export interface PageFile {
  /** Without folders, and safe to be one. */
  readonly name: string
  readonly body:
    | { readonly type: 'text'; readonly text: string }
    /** In base64. */
    | { readonly type: 'blob'; readonly blob: string }
    | { readonly type: 'link'; readonly uri: string }
}

const MAX_FILES = 10

/** Embedded resources and links to resources, as MCP writes them. Undefined when anything else is among them. */
export function filesIn(contents: unknown): readonly PageFile[] | undefined {
  if (!Array.isArray(contents) || contents.length === 0 || contents.length > MAX_FILES) return undefined
  const files = contents.flatMap((part: unknown) => (isFields(part) ? toFile(part) : []))
  return files.length === contents.length ? files : undefined
}

function toFile(part: Fields): readonly PageFile[] {
  const { type, resource, uri, name } = part
  if (type === 'resource_link' && typeof uri === 'string')
    return [{ name: fileName(typeof name === 'string' ? name : uri), body: { type: 'link', uri } }]
  return type === 'resource' && isFields(resource) ? toEmbedded(resource) : []
}

/** One of `contents` of a resource, as its server or a page gives it. */
export function toEmbedded({ uri, text, blob }: Fields): readonly PageFile[] {
  const name = fileName(typeof uri === 'string' ? uri : '')
  if (typeof text === 'string') return [{ name, body: { type: 'text', text } }]
  return typeof blob === 'string' ? [{ name, body: { type: 'blob', blob } }] : []
}

/** The last part of an address, with nothing that leads elsewhere, hides, or turns the direction of writing. */
function fileName(uri: string): string {
  const last =
    decoded(uri.replace(/[?#].*$/s, ''))
      .split(/[\\/]/)
      .findLast(part => part !== '') ?? ''
  const plain = last.replace(/[^\p{L}\p{N} ._()+-]+/gu, '-').replace(/^[. ]+|[. ]+$/g, '')
  return plain.slice(0, 100) || 'file'
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Its name, and its size where it is known. */
export function describeFile({ name, body }: PageFile): string {
  switch (body.type) {
    case 'text':
      return `${name} (${new Blob([body.text]).size} B)`
    case 'blob':
      return `${name} (${Math.floor((body.blob.length * 3) / 4)} B)`
    case 'link':
      return `${name} (${body.uri})`
  }
}
