/** Content of users and tools in the child's two formats: API blocks and MCP content. Pure. */
import { type ContentPart, type JsonObject, type ToolResultPart, toInline } from '@toolwire/core'
import type { GatewayResult } from './gateway-server.ts'

/** Blocks of the Messages API; empty texts are left out, because providers refuse them. */
export function toBlocks(parts: readonly ContentPart[]): readonly JsonObject[] {
  return parts.flatMap(part => toBlock(part))
}

function toBlock(content: ContentPart): readonly JsonObject[] {
  const part = toInline(content)
  if (part.type === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }]
  const { source, title } = part
  if (part.type === 'audio')
    return [{ type: 'text', text: `[audio ${title ?? ''} was attached; this model cannot hear it]` }]
  if (source.type === 'text') return [{ type: 'document', source: { ...source, media_type: 'text/plain' } }]
  const plain = source.type === 'url' ? { type: 'url', url: source.url } : source
  return [
    { type: part.type, source: plain, ...(title === undefined || part.type === 'image' ? {} : { title }) },
  ]
}

export function toResultBlock(result: ToolResultPart): JsonObject {
  const text = result.output_text.trim() === '' ? '(no output)' : result.output_text
  const media = result.is_error ? [] : result.content.filter(part => part.type !== 'text')
  return {
    type: 'tool_result',
    tool_use_id: result.call_id,
    content: [{ type: 'text', text }, ...toBlocks(media)],
    ...(result.is_error ? { is_error: true } : {}),
  }
}

/** An error carries text alone: the child drops everything else from it. */
export function toGatewayResult(result: ToolResultPart): GatewayResult {
  const images = result.is_error ? [] : result.content.flatMap(toMcpImage)
  const content = [{ type: 'text', text: result.output_text }, ...images]
  return result.is_error ? { content, isError: true } : { content }
}

function toMcpImage(part: ContentPart): readonly JsonObject[] {
  if (part.type !== 'image' || part.source.type !== 'base64') return []
  return [{ type: 'image', data: part.source.data, mimeType: part.source.media_type }]
}
