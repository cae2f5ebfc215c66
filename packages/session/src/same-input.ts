/**
 * Compares two inputs as JSON: the order of fields and undefined fields do not matter, and neither does the place of the
 * bytes of a part. A file is its content where one of both says what that is, and its id otherwise.
 */
import { createHash } from 'node:crypto'
import { asString, isLargeInline, isObject, type JsonObject } from '@toolwire/core'

export function isSameInput(a: unknown, b: unknown): boolean {
  const hashes = new Map<string, string>()
  const texts = [a, b].map(value => JSON.stringify(value, (_key, child: unknown) => noteFile(child, hashes)))
  if (texts[0] === texts[1]) return true
  return canonical(a, hashes) === canonical(b, hashes)
}

/** The hashes of files whose id and content are both in an input. */
function noteFile(value: unknown, hashes: Map<string, string>): unknown {
  if (isObject(value) && value['type'] === 'file') {
    const [id, sha256] = [asString(value['file_id']), asString(value['sha256'])]
    if (id !== undefined && sha256 !== undefined) hashes.set(id, sha256)
  }
  return value
}

function canonical(value: unknown, hashes: ReadonlyMap<string, string>): string {
  return JSON.stringify(value, (_key, child: unknown) => {
    if (!isObject(child)) return child
    const content = isObject(child['source']) ? contentOf(child['source'], hashes) : undefined
    if (content !== undefined) return { content, title: child['title'] }
    return Object.fromEntries(Object.entries(child).sort(([x], [y]) => (x < y ? -1 : 1)))
  })
}

/** Names the content of a source; undefined for one that stays in its event. */
function contentOf(source: JsonObject, hashes: ReadonlyMap<string, string>): string | undefined {
  const { type, file_id, data = '' } = source as { type?: unknown; file_id?: unknown; data?: unknown }
  if (type === 'file' && typeof file_id === 'string') return hashes.get(file_id) ?? file_id
  if (type !== 'base64' || typeof data !== 'string') return undefined
  const inline = { type, media_type: '', data } as const
  return isLargeInline(inline) ? createHash('sha256').update(data, 'base64').digest('hex') : undefined
}
