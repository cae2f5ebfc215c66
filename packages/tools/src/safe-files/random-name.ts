import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'

/** A name that no other file has, for something that lies beside `path` for a moment. */
export const randomName = (path: string, ending: 'tmp' | 'bak'): string =>
  `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.${ending}`
