/** Request bodies: JSON in UTF-8, bounded in depth, or nothing. Anything else is refused before a route sees it. */

import type { IncomingHttpHeaders } from 'node:http'
import { AppError, createYield, endOfString } from '@toolwire/core'
import { yieldToLoop } from '@toolwire/session'
import type { HostBody } from './exchange.ts'

const MAX_DEPTH = 64
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json(?:\s*;.*)?$/i
const UTF8 = /;\s*charset\s*=\s*"?utf-?8"?\s*(?:;|$)/i

/** Values of all kinds in one body, keys of objects not counted. Whatever reads a body takes time by their number. */
const MAX_VALUES = 100_000
/** Halves of surrogate pairs without the other half. A text that was cut has one. */
const MAX_UNPAIRED = 10_000
/** Bytes; a larger body is read in steps with a turn of the event loop between them. */
const LARGE = 1024 * 1024
const CHARS_AT_ONCE = 100_000

interface JsonOptions {
  /** Replaces JSON.parse. */
  readonly parse?: ((text: string) => unknown) | undefined
  /** Levels of nesting that are accepted. */
  readonly depth?: number | undefined
  /** Bytes that are accepted. A parser in front of this one has its own limit. */
  readonly bytes?: number | undefined
}

/**
 * An empty body, with or without a content type, is `undefined`. Throws
 * `unsupported_media_type`, `invalid_utf8`, `invalid_json`, `bad_request` or `payload_too_large`.
 */
export async function parseJsonBody(
  body: HostBody,
  headers: IncomingHttpHeaders,
  options: JsonOptions = {},
): Promise<unknown> {
  const bytes = 'bytes' in body ? body.bytes : toBytes(body.value)
  if (bytes.length === 0) return undefined
  if (bytes.length > (options.bytes ?? bytes.length)) throw new AppError('payload_too_large')
  const type = headers['content-type'] ?? ''
  if (!JSON_TYPE.test(type)) throw new AppError('unsupported_media_type')
  if ('bytes' in body) checkEncoding(headers['content-encoding'])
  checkCharset(type)
  return await parseJson(bytes, options)
}

/** The value of another parser passes the same checks as a text. */
function toBytes(value: unknown): Buffer {
  try {
    return Buffer.from(JSON.stringify(value) ?? '')
  } catch {
    throw new AppError('bad_request', 'The body cannot be read as JSON.')
  }
}

/** Throws `invalid_utf8`, `invalid_json`, `bad_request` or `payload_too_large`. */
async function parseJson(
  body: Buffer,
  { parse = JSON.parse, depth = MAX_DEPTH }: JsonOptions,
): Promise<unknown> {
  const rest = body.length > LARGE ? yieldToLoop : () => undefined
  const text = decodeUtf8(body)
  await rest()
  await checkShape(text, depth)
  await rest()
  const value = parseText(text, parse)
  await rest()
  checkUnicode(value, { unpaired: 0 })
  return value
}

function parseText(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text)
  } catch {
    throw new AppError('invalid_json')
  }
}

/** Throws `bad_request` for text that is mostly no Unicode: V8 writes each unpaired surrogate slowly. */
function checkUnicode(value: unknown, count: { unpaired: number }): void {
  if (typeof value === 'string') countUnpaired(value, count)
  else if (typeof value === 'object' && value !== null)
    for (const one of Object.values(value)) checkUnicode(one, count)
}

function countUnpaired(text: string, count: { unpaired: number }): void {
  if (text.isWellFormed()) return
  for (const _ of text.matchAll(/\p{Surrogate}/gu)) {
    count.unpaired += 1
    if (count.unpaired > MAX_UNPAIRED)
      throw new AppError('bad_request', `The body has more than ${MAX_UNPAIRED} unpaired surrogates.`)
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
export function checkEncoding(encoding: string | undefined): void {
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw new AppError('unsupported_media_type', 'This route takes bodies that are not compressed.')
}

function checkCharset(contentType: string): void {
  if (/;\s*charset\s*=/i.test(contentType) && !UTF8.test(contentType))
    throw new AppError('unsupported_media_type', 'This route takes JSON in UTF-8.')
}

/**
 * Counted on the text: what writes JSON later recurses, and a body must not be able to exhaust its stack. Throws
 * `bad_request` where it is too deep, and `payload_too_large` where it has too many values.
 */
async function checkShape(text: string, maxDepth: number): Promise<void> {
  const yieldOften = createYield()
  const shape = { depth: 0, values: 1, maxDepth }
  let checkedAt = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') i = endOfString(text, i)
    else countCharacter(text[i], shape)
    if (i - checkedAt < CHARS_AT_ONCE) continue
    checkedAt = i
    await yieldOften()
  }
}

interface JsonShape {
  depth: number
  values: number
  readonly maxDepth: number
}

function countCharacter(c: string | undefined, shape: JsonShape): void {
  if (c === ',') shape.values += 1
  else if (c === '[' || c === '{') {
    shape.depth += 1
    shape.values += 1
  } else if (c === ']' || c === '}') shape.depth -= 1
  else return
  if (shape.depth > shape.maxDepth)
    throw new AppError('bad_request', `The body is nested deeper than ${shape.maxDepth} levels.`)
  if (shape.values > MAX_VALUES)
    throw new AppError('payload_too_large', `The body has more than ${MAX_VALUES} values.`)
}
