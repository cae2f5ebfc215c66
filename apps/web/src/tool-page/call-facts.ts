/** A call in MCP's terms, for the page beside it. */
import type { ContentPart } from '@toolwire/core'
import { type CallView, isFinal } from '@toolwire/core/view'
import type { CallFacts } from './bridge.ts'
import { closeJson } from './close-json.ts'
import { type Fields, isFields } from './page-message.ts'

/** The address of the page beside a call; undefined when it has none. */
export function pageOf(call: CallView): string | undefined {
  const body = call.view?.body
  const uri = call.tool_type === 'mcp' && isFields(body) ? body['ui'] : undefined
  return typeof uri === 'string' ? uri : undefined
}

/** The facts of the call now; they only grow. */
export function factsOf(call: CallView): CallFacts {
  if (call.state === 'building') return { partial: closeJson(call.input_text) }
  const facts = isFields(call.input) ? { arguments: call.input } : {}
  if (!isFinal(call.state)) return facts
  if (call.state === 'success' || call.state === 'failed') return { ...facts, result: resultOf(call) }
  return { ...facts, cancelled: call.state }
}

/** A finished call as an MCP result: as its server gave it where that was kept, else derived from the log. */
export function resultOf(call: CallView): Fields {
  const body = call.view?.body
  const given = isFields(body) ? body['result'] : undefined
  if (isFields(given) && Array.isArray(given['content'])) return given
  const { output_text = call.state, content = [], structured, is_error = true } = call.result ?? {}
  return {
    content: [{ type: 'text', text: output_text }, ...content.flatMap(toMedia)],
    ...(isFields(structured) && !('output_invalid' in structured) ? { structuredContent: structured } : {}),
    ...(is_error ? { isError: true } : {}),
  }
}

function toMedia(part: ContentPart): readonly Fields[] {
  if ((part.type !== 'image' && part.type !== 'audio') || part.source.type !== 'base64') return []
  return [{ type: part.type, mimeType: part.source.media_type, data: part.source.data }]
}
