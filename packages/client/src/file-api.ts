/** Files that messages name by their ids, instead of holding their bytes. */
import type { ContentPart } from '@toolwire/core'
import { type Http, newKey } from './http.ts'

export interface FileJson {
  readonly id: string
  readonly sha256: string
  readonly bytes: number
  /** By its content. */
  readonly media_type: string
  readonly filename: string
  readonly created_at: string
  /** Null while a session refers to it. */
  readonly expires_at: string | null
  /** The reason that no model is shown it. */
  readonly problem: string | null
}

export interface UploadOptions {
  /** The name of a `File` when absent. */
  readonly filename?: string
  readonly expiresInSeconds?: number
  readonly signal?: AbortSignal
}

export interface FileApi {
  /** Stores a file; an interrupted upload is repeated. */
  upload(content: Blob, options?: UploadOptions): Promise<FileJson>
  get(id: string): Promise<FileJson>
  /** The newest first. */
  list(query?: { readonly cursor?: string; readonly limit?: number }): Promise<FilePageJson>
  /** Its bytes. The caller reads the response. */
  content(id: string, signal?: AbortSignal): Promise<Response>
  /** With `force` also one that a session refers to. */
  remove(id: string, options?: { readonly force?: boolean }): Promise<void>
}

export interface FilePageJson {
  readonly files: readonly FileJson[]
  readonly next_cursor: string | null
}

export function createFileApi(http: Http): FileApi {
  const at = (id: string, rest = ''): string => `/api/files/${encodeURIComponent(id)}${rest}`
  return {
    async upload(content, { filename, expiresInSeconds, signal } = {}) {
      const name =
        filename ?? ('name' in content && typeof content.name === 'string' ? content.name : undefined)
      return await http.json({
        method: 'POST',
        path: '/api/files',
        query: { filename: name, expires_in_seconds: expiresInSeconds },
        bytes: content,
        key: newKey(),
        signal,
      })
    },
    get: id => http.json({ method: 'GET', path: at(id) }),
    list: (query = {}) => http.json({ method: 'GET', path: '/api/files', query: { ...query } }),
    content: (id, signal) =>
      http.send({ method: 'GET', path: at(id, '/content'), signal }, async response => response),
    remove: (id, { force } = {}) =>
      http.send({ method: 'DELETE', path: at(id), query: { force } }, async () => {}),
  }
}

/** The part of a message that names an uploaded file. */
export const filePart = ({ id }: Pick<FileJson, 'id'>): ContentPart => ({
  type: 'file',
  source: { type: 'file', file_id: id },
})
