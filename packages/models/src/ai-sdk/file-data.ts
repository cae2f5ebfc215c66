/** Files that a model of the AI SDK made, as the log keeps them and as they go back. Pure. */
import { asString, isObject, type JsonObject } from '@toolwire/core'

interface FileData {
  readonly type: 'file'
  readonly mediaType: string
  /** Base64, or an address. */
  readonly data?: string
  readonly url?: string
}

/** Specification 4 tags the data, 3 sends it as it is. Undefined for a form that is unknown. */
export function toFileData({ mediaType: type, data }: JsonObject): FileData | undefined {
  const mediaType = asString(type)
  if (mediaType === undefined) return undefined
  if (isObject(data) && data['type'] === 'url') {
    const url = data['url'] instanceof URL ? data['url'].href : asString(data['url'])
    return url === undefined ? undefined : { type: 'file', mediaType, url }
  }
  const bytes = isObject(data) && data['type'] === 'data' ? data['data'] : data
  if (bytes instanceof Uint8Array)
    return { type: 'file', mediaType, data: Buffer.from(bytes).toString('base64') }
  return typeof bytes === 'string' ? { type: 'file', mediaType, data: bytes } : undefined
}

export const isFileData = (value: unknown): value is FileData =>
  isObject(value) &&
  value['type'] === 'file' &&
  typeof value['mediaType'] === 'string' &&
  (typeof value['data'] === 'string' || URL.canParse(String(value['url'])))

export function fromFileData({ mediaType, data, url }: FileData, isTagged: boolean): JsonObject {
  const form = url === undefined ? { type: 'data', data } : { type: 'url', url: new URL(url) }
  const plain = url === undefined ? data : new URL(url)
  return { type: 'file', mediaType, data: isTagged ? form : plain }
}
