/** A server's answer to a call as a result of ours: all of its content, text and structured. */
import { isDeepStrictEqual } from 'node:util'
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import type { ContentPart, ToolOutcome } from '@toolwire/core'
import { createSchemaCheck } from '@toolwire/tools/internal'

const MAX_MEDIA_CHARS = 5 * 1024 * 1024
const MAX_MEDIA = 20

type Fields = Readonly<Record<string, unknown>>

/** A result that breaks the tool's own output schema is kept, and flagged in `structured`. Pure. */
export function toOutcome(result: CallToolResult, output_schema?: Fields): ToolOutcome {
  const media: ContentPart[] = []
  const texts = (result.content ?? []).map(block => showBlock(block, media))
  const structured = result.structuredContent
  const text = [...texts, ...structuredText(texts, structured)].join('\n')
  const problems = output_schema && !result.isError ? outputProblems(structured, output_schema) : []
  return {
    output_text: text,
    ...(media.length > 0 ? { content: media } : {}),
    ...(result.isError ? { is_error: true, code: 'mcp_error' } : {}),
    ...(structured === undefined && problems.length === 0
      ? {}
      : { structured: problems.length === 0 ? structured : { value: structured, output_invalid: problems } }),
  }
}

/** Servers repeat structured content as text for older clients: then it is not shown twice. */
function structuredText(texts: readonly string[], structured: unknown): readonly string[] {
  if (structured === undefined) return []
  const json = JSON.stringify(structured, null, 2)
  if (texts.length === 0) return [json]
  return hasEqual(texts, structured) ? [] : [`Structured content:\n${json}`]
}

/** Characters of texts that are read as JSON to compare them. */
const MAX_COMPARED = 1024 * 1024

/** True if one of the texts is this value as JSON, however it is laid out. */
function hasEqual(texts: readonly string[], structured: unknown): boolean {
  const compact = JSON.stringify(structured)
  let left = MAX_COMPARED
  return texts.some(text => {
    if (text === compact) return true
    left -= text.length
    return left >= 0 && isDeepStrictEqual(parsed(text), structured)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function outputProblems(structured: unknown, schema: Fields): readonly string[] {
  if (structured === undefined) return ['The tool promises structured content and gave none.']
  const checked = createSchemaCheck(schema)(structured)
  return checked.ok ? [] : checked.problems
}

function showBlock(block: ContentBlock, media: ContentPart[]): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return showMedia(block.type, block.mimeType, block.data, media)
    case 'resource_link':
      return `[${block.title ?? block.name}](${block.uri})${block.description ? ` ${block.description}` : ''}`
    case 'resource':
      return showResource(block.resource, media)
    default:
      // The connection has replaced what is of no known type; a new type of the protocol gets here first.
      return '[content of an unknown type]'
  }
}

function showResource(
  resource: Extract<ContentBlock, { readonly type: 'resource' }>['resource'],
  media: ContentPart[],
): string {
  if ('text' in resource) return `[${resource.uri}]\n${resource.text}`
  const { mimeType = 'application/octet-stream', blob, uri } = resource
  if (!mimeType.startsWith('image/')) return `[${uri}: ${mimeType}, ${bytesOf(blob)} bytes]`
  return `[${uri}] ${showMedia('image', mimeType, blob, media)}`
}

/** Oversized or invalid base64 data would be rejected by every provider: it is only named. */
function showMedia(type: 'image' | 'audio', media_type: string, data: string, media: ContentPart[]): string {
  const bare = withoutSpaces(data)
  const said = `[${media_type}, ${bytesOf(bare)} bytes]`
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(bare)) return `[${media_type}: the data is damaged]`
  if (bare.length > MAX_MEDIA_CHARS || media.length >= MAX_MEDIA) return `${said.slice(0, -1)}: not shown]`
  media.push({ type, source: { type: 'base64', media_type, data: bare } })
  return said
}

/** Without the ends of its lines. Text with more blanks than lines of 20 characters have stays as it is. */
function withoutSpaces(data: string): string {
  let left = data.length / 10
  for (const _ of data.matchAll(/\s/g)) {
    left -= 1
    if (left < 0) return data
  }
  return data.replaceAll(/\s/g, '')
}

const bytesOf = (base64: string): number => Math.floor((base64.length * 3) / 4)
