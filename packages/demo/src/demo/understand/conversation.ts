/** The request as a planner sees it: what was asked last, and what has been done about it since. */
import { type ContentPart, type HistoryMessage, type ModelRequest, unfenceText } from '@toolwire/core'

/** A call of the current exchange together with its result. */
export interface SettledCall {
  readonly name: string
  readonly input: unknown
  readonly output: string
  readonly is_error: boolean
  /** 1 for the first tool round after the user's message. */
  readonly round: number
}

export interface DemoConversation {
  /** The latest user message's text, without reminders that hosts put into it. */
  readonly text: string
  /** Images and documents of that message. */
  readonly media: readonly Exclude<ContentPart, { type: 'text' }>[]
  /** Calls since that message, in order. */
  readonly calls: readonly SettledCall[]
  /** Tool rounds since that message. */
  readonly rounds: number
  /** Earlier user texts, oldest first. */
  readonly earlier: readonly string[]
}

/** Reads a request's history. Never throws: unparsable arguments count as their raw text. */
export function readConversation(request: ModelRequest): DemoConversation {
  const users = request.messages.flatMap((message, at) =>
    message.role === 'user' ? [{ at, text: userText(message) }] : [],
  )
  const latest = users.findLast(user => user.text !== '')
  const since = request.messages.slice((latest?.at ?? -1) + 1)
  const calls: SettledCall[] = []
  let inputs = new Map<string, string>()
  let rounds = 0
  for (const message of since) {
    if (message.role === 'assistant')
      inputs = new Map(
        message.content.flatMap(part => (part.type === 'tool_use' ? [[part.call_id, part.input_text]] : [])),
      )
    if (message.role !== 'tool') continue
    rounds += 1
    for (const result of message.results)
      calls.push({
        name: result.name,
        input: parsed(inputs.get(result.call_id) ?? ''),
        output: unfenceText(result.output_text),
        is_error: result.is_error,
        round: rounds,
      })
  }
  const earlier = users.filter(user => user.at < (latest?.at ?? 0)).map(user => user.text)
  const message = request.messages[latest?.at ?? -1]
  const parts = message?.role === 'user' ? message.content : []
  const media = parts.flatMap(part => (part.type === 'text' ? [] : [part]))
  return { text: latest?.text ?? '', media, calls, rounds, earlier }
}

function userText(message: Extract<HistoryMessage, { role: 'user' }>): string {
  return message.content
    .flatMap(part => (part.type === 'text' && unfenceText(part.text) === part.text ? [part.text] : []))
    .join('\n')
    .replace(/<(system(?:-[0-9A-Za-z]+)?)>[\s\S]*?<\/\1>/g, '')
    .trim()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
