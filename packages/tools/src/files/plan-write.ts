/**
 * Plans a write of a whole file: its bytes in the charset and with the line ends of the file, and the difference.
 * Pure.
 */
import { encode, isStandIn } from './charset.ts'
import { type ChangeData, describeChange } from './describe-change.ts'
import type { FileStyle } from './new-file-style.ts'
import { readText, styleOf } from './text-file.ts'

export interface WritePlanRequest {
  readonly path: string
  readonly content: string
  /** The charset that the project names. */
  readonly preferred: string | undefined
  /** Of a new file; an existing one keeps its own. */
  readonly style: FileStyle | undefined
}

export interface WritePlan {
  readonly style: FileStyle
  /** Undefined when the charset has no form for some characters. */
  readonly after: Uint8Array | undefined
  /** The file has exactly this content already. */
  readonly isSame: boolean
  readonly change: ChangeData | undefined
}

const NEW: FileStyle = { charset: 'utf-8', eol: 'lf', bom: false }

/** `old` is undefined for a new file. */
export function planWrite(old: Uint8Array | undefined, request: WritePlanRequest): WritePlan {
  const { path, content, preferred } = request
  const before = old && readText(old, preferred)
  const style = before ? styleOf(before) : (request.style ?? NEW)
  const text = style.eol === 'crlf' && !content.includes('\r\n') ? content.replaceAll('\n', '\r\n') : content
  const marked = style.bom && !text.startsWith('\ufeff') ? `\ufeff${text}` : text
  const after = old && isStandIn(content, old) ? undefined : encode(marked, { name: style.charset, bom: 0 })
  const isSame = old !== undefined && after !== undefined && Buffer.compare(old, after) === 0
  const change =
    after && !isSame ? describeChange(path, before?.view ?? null, readText(after, preferred).view) : undefined
  return { style, after, isSame, change }
}

/** The difference between two contents of a file; no file before is undefined. */
export function describeFiles(
  path: string,
  before: Uint8Array | undefined,
  after: Uint8Array | string,
  preferred?: string,
): ChangeData {
  const view = typeof after === 'string' ? after.replaceAll('\r\n', '\n') : readText(after, preferred).view
  return describeChange(path, before ? readText(before, preferred).view : null, view)
}
