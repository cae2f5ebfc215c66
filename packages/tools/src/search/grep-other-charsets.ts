/**
 * Ripgrep reads files as UTF-8 by default, so a non-ASCII pattern misses files in older charsets. They are
 * searched again, each in its own charset.
 */

import { detectCharset, encode, GUESSED } from '../files/charset.ts'
import { openFile } from '../safe-files/open-file.ts'
import { grepByRipgrep } from './grep-by-ripgrep.ts'
import type { GrepAnswer, GrepRequest } from './grep-request.ts'
import type { Ripgrep } from './ripgrep.ts'

const MAX_FILES = 200
const SAMPLE = 64 * 1024

/** `found` with the hits in other charsets added. Patterns of ASCII alone need no second look. */
export async function grepOtherCharsets(
  ripgrep: Ripgrep,
  request: GrepRequest,
  found: GrepAnswer,
): Promise<GrepAnswer> {
  if (!/[^\p{ASCII}]/u.test(request.pattern) || found.problem !== undefined) return found
  const known = new Set(found.files.map(file => file.path))
  const more = await Promise.all(
    candidates(request.pattern).map(async charset => {
      const { files } = await grepByRipgrep(ripgrep, request, charset)
      const fresh = files.filter(file => !known.has(file.path)).slice(0, MAX_FILES)
      const checked = await Promise.all(
        fresh.map(async file => ((await charsetOf(file.path)) === charset ? [file] : [])),
      )
      return checked.flat()
    }),
  )
  return { ...found, files: [...found.files, ...more.flat()] }
}

/** In charsets that have no form for any of these characters there is nothing to be found. */
function candidates(pattern: string): readonly string[] {
  const wanted = [...new Set(pattern.replaceAll(/\p{ASCII}/gu, ''))]
  return GUESSED.filter(name => wanted.some(letter => encode(letter, { name, bom: 0 }) !== undefined))
}

async function charsetOf(path: string): Promise<string | undefined> {
  const file = await openFile(path).catch(() => undefined)
  if (!file) return undefined
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE), 0, SAMPLE, 0)
    return detectCharset(buffer.subarray(0, bytesRead), undefined, bytesRead === SAMPLE).name
  } finally {
    await file.close()
  }
}
