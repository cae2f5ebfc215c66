/** Results of calls in the form of the Model Context Protocol. Pure. */

import type { ContentPart, EventOf, HostedContent, HostedResult } from '@toolwire/core'
import { isObject, toInline } from '@toolwire/core'

interface CallIds {
  readonly session_id: string
  readonly call_id?: string | undefined
}

const SESSION_META = 'toolwire/session_id'
const CALL_META = 'toolwire/call_id'

const toMeta = ({ session_id, call_id }: CallIds) => ({
  [SESSION_META]: session_id,
  ...(call_id === undefined ? {} : { [CALL_META]: call_id }),
})

export function toToolResult(
  ev: EventOf<'tool.completed' | 'tool.failed'>,
  session_id: string,
): HostedResult {
  const { call_id, output_text } = ev
  const _meta = toMeta({ session_id, call_id })
  if (ev.type === 'tool.failed') return { content: toText(output_text), isError: true, _meta }
  return {
    content: [...toText(output_text), ...ev.content.flatMap(toMedia)],
    ...(isObject(ev.structured) ? { structuredContent: ev.structured } : {}),
    ...(ev.is_error ? { isError: true } : {}),
    _meta,
  }
}

/** The response of an agent. Its session id is in the text too: hosts show models no metadata. */
export function toAgentResult({ result_text }: EventOf<'run.completed'>, session_id: string): HostedResult {
  return {
    content: [...toText(result_text), ...toText(`session_id: ${session_id}`)],
    structuredContent: { text: result_text, session_id },
    _meta: toMeta({ session_id }),
  }
}

/** A call that ended without a result, or cannot continue. */
export const toErrorResult = (message: string, ids: CallIds): HostedResult => ({
  content: toText(message),
  isError: true,
  _meta: toMeta(ids),
})

const toText = (text: string): readonly HostedContent[] => (text === '' ? [] : [{ type: 'text', text }])

/** Text parts repeat the output's text. */
function toMedia(part: ContentPart): readonly HostedContent[] {
  if (part.type === 'text') return []
  const { type, source, title } = part
  if (source.type === 'url') {
    const mimeType = source.media_type === undefined ? {} : { mimeType: source.media_type }
    return [{ type: 'resource_link', uri: source.url, name: title ?? source.url, ...mimeType }]
  }
  if (source.type === 'text') return [{ type: 'text', text: source.data }]
  if (source.type === 'file' || type === 'file') return [toInline(part)].filter(one => one.type === 'text')
  return type === 'document' ? [] : [{ type, data: source.data, mimeType: source.media_type }]
}
