/** Request bodies: JSON in UTF-8, bounded in depth, or nothing. Anything else is refused before a route sees it. */
import { AppError, endOfString } from '@toolwire/core'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** In place of JSON.parse, for a route that has to know more of the text than its value; throws as that does. */
    readonly parseJson?: (text: string) => unknown
  }
}

const MAX_DEPTH = 64
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json(?:\s*;.*)?$/i
const UTF8 = /;\s*charset\s*=\s*"?utf-?8"?\s*(?:;|$)/i

/** Takes over body parsing. An empty body, with or without a content type, is `undefined`. */
export function installJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer' }, (request, body, done) => {
    try {
      checkEncoding(request.headers['content-encoding'])
      checkCharset(request.headers['content-type'] ?? '')
      done(null, parseJson(body as Buffer, request.routeOptions.config.parseJson))
    } catch (error) {
      done(error as Error)
    }
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    if (body.length === 0) done(null, undefined)
    else done(new AppError('unsupported_media_type'))
  })
}

/** Throws `invalid_utf8`, `invalid_json` or `bad_request`. */
function parseJson(body: Buffer, parse: (text: string) => unknown = JSON.parse): unknown {
  if (body.length === 0) return undefined
  const text = decodeUtf8(body)
  if (isTooDeep(text))
    throw new AppError('bad_request', `The body is nested deeper than ${MAX_DEPTH} levels.`)
  try {
    return parse(text)
  } catch {
    throw new AppError('invalid_json')
  }
}

function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new AppError('invalid_utf8')
  }
}

/** Nothing is unpacked here: a small body never becomes a large one. */
function checkEncoding(encoding: string | undefined): void {
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw new AppError('unsupported_media_type', 'This route takes bodies that are not compressed.')
}

function checkCharset(contentType: string): void {
  if (/;\s*charset\s*=/i.test(contentType) && !UTF8.test(contentType))
    throw new AppError('unsupported_media_type', 'This route takes JSON in UTF-8.')
}

/** Counted on the text: what writes JSON later recurses, and a body must not be able to exhaust its stack. */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (let i = 0; i < text.length && depth <= MAX_DEPTH; i++) {
    const c = text[i]
    if (c === '"') i = endOfString(text, i)
    else if (c === '[' || c === '{') depth += 1
    else if (c === ']' || c === '}') depth -= 1
  }
  return depth > MAX_DEPTH
}
