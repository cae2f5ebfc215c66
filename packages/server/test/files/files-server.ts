/** A server with a store of files in a temporary folder, and uploads to it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FileLimits } from '@toolwire/core'
import { createMemoryRecords, openFolderFiles } from '@toolwire/store'
import type { TestConfig } from '../split-config.ts'
import { type More, type Running, startServer } from '../start-server.ts'

export interface FilesServer extends Running {
  readonly folder: string
  /** A file as the body itself. */
  readonly upload: (
    content: Uint8Array | string,
    filename?: string,
    headers?: Record<string, string>,
  ) => Promise<Uploaded>
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
type Uploaded = { readonly status: number; readonly headers: Headers; readonly body: any }

export async function startFilesServer(
  config: TestConfig = {},
  more: More = {},
  limits?: FileLimits,
): Promise<FilesServer> {
  const parent = mkdtempSync(join(tmpdir(), 'toolwire-files-'))
  const folder = join(parent, 'files')
  const files = openFolderFiles({ dir: folder, ...(limits ? { limits } : {}) })
  const running = await startServer(config, { records: createMemoryRecords(), files, ...more })
  return {
    ...running,
    folder,
    async upload(content, filename, headers = {}) {
      const query = filename === undefined ? '' : `?filename=${encodeURIComponent(filename)}`
      const response = await fetch(`${running.url}/api/files${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', ...headers },
        body: typeof content === 'string' ? content : Uint8Array.from(content),
      })
      return { status: response.status, headers: response.headers, body: await response.json() }
    },
    async close() {
      await running.close()
      await files.close()
      rmSync(parent, { recursive: true, force: true })
    },
  }
}

/** The header of a PNG of this size, without pixels. */
export function pngHeader(width: number, height: number): Buffer {
  const png = Buffer.alloc(64)
  png.write('\x89PNG\r\n\x1a\n', 'latin1')
  png.writeUInt32BE(13, 8)
  png.write('IHDR', 12, 'latin1')
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(height, 20)
  return png
}
