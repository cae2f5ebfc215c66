/** The built web app as a fixed set of files: what is not in the folder at start is never served. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export interface WebFile {
  readonly type: string
  readonly etag: string
  readonly body: Buffer
  /** Smaller forms; none for formats that are compressed already. */
  readonly gzip?: Buffer
  readonly brotli?: Buffer
}

export interface WebFiles {
  /** False when the app has not been built. */
  readonly built: boolean
  /** A file by its path below the folder; undefined if missing. Read once, then cached. */
  get(path: string): Promise<WebFile | undefined>
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}
const TEXT: ReadonlySet<string> = new Set(['.css', '.html', '.js', '.json', '.svg'])
const toGzip = promisify(gzip)
const toBrotli = promisify(brotliCompress)

/** Lists the folder once. A folder that does not exist counts as not built. */
export function openWebFiles(root: string): WebFiles {
  const built = existsSync(join(root, 'index.html'))
  const known = new Set(built ? readdirSync(root, { recursive: true, encoding: 'utf8' }).map(toKey) : [])
  const kept = new Map<string, Promise<WebFile>>()
  return {
    built,
    async get(path) {
      const extension = extname(path)
      if (!known.has(path) || !Object.hasOwn(TYPES, extension)) return undefined
      const before = kept.get(path)
      if (before) return await before
      const reading = load(join(root, path), extension)
      kept.set(path, reading)
      // A failed read is tried again by the next request.
      reading.catch(() => kept.delete(path))
      return await reading
    },
  }
}

const toKey = (path: string): string => path.replaceAll('\\', '/')

async function load(path: string, extension: string): Promise<WebFile> {
  const body = await readFile(path)
  const file = {
    type: TYPES[extension] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    body,
  }
  if (!TEXT.has(extension)) return file
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
  const [zipped, brotli] = await Promise.all([toGzip(body), toBrotli(body, quality)])
  return { ...file, gzip: zipped, brotli }
}
