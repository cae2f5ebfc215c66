/** Messages that the server lists, in the form of assistant-ui. */
import type { ThreadMessageLike } from '@assistant-ui/react'
import type { UIMessage } from 'ai'

type Content = Extract<Exclude<ThreadMessageLike['content'], string>[number], object>

export const toThreadMessage = ({ id, role, parts }: UIMessage): ThreadMessageLike => ({
  id,
  role,
  content: parts.flatMap(toContent),
})

function toContent(part: UIMessage['parts'][number]): Content[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [{ type: part.type, text: part.text }]
    case 'file':
      return [{ type: 'file', filename: part.filename ?? '', mimeType: part.mediaType, data: part.url }]
    case 'dynamic-tool': {
      const { toolCallId, toolName, state, input } = part
      const argsText = JSON.stringify(input) ?? ''
      const result = state === 'output-available' ? part.output : part.errorText
      const isError = state === 'output-error'
      return [{ type: 'tool-call', toolCallId, toolName, argsText, result, isError }]
    }
    default:
      return []
  }
}
