/** The conversation before the latest user message: what was asked, done and answered. */
import type { ModelRequest } from '@toolwire/core'
import { isSchema } from '../input/json-schema.ts'
import { readConversation, type SettledCall } from '../understand/conversation.ts'

export interface PastTurn {
  readonly request: string
  readonly calls: readonly SettledCall[]
  /** Text of the assistant's last message of the turn. */
  readonly answer: string
}

export interface History {
  /** Oldest first. */
  readonly turns: readonly PastTurn[]
}

/** The history of a request, read when it is first asked for: most requests do not need it. */
export function readHistory(request: ModelRequest): History {
  let turns: readonly PastTurn[] | undefined
  return {
    get turns() {
      turns ??= readTurns(request)
      return turns
    },
  }
}

/** Cuts the messages at each user message and reads every piece as one conversation. */
function readTurns({ messages, ...request }: ModelRequest): readonly PastTurn[] {
  const starts = messages.flatMap((message, at) => (message.role === 'user' ? [at] : []))
  const turns = starts.slice(0, -1).map((start, index): PastTurn => {
    const piece = messages.slice(start, starts[index + 1])
    const { text, calls } = readConversation({ ...request, messages: piece })
    const last = piece.findLast(message => message.role === 'assistant')
    const answer = (last?.content ?? []).flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')
    return { request: text, calls, answer }
  })
  return turns.filter(turn => turn.request !== '')
}

/** Files that calls of these turns changed, each with what was done to it, in order. */
export function changedFiles(
  turns: readonly PastTurn[],
): readonly { readonly path: string; readonly tool: string }[] {
  const changes = turns.flatMap(turn =>
    turn.calls.flatMap(call => {
      const path = isSchema(call.input) ? (call.input['file_path'] ?? call.input['path']) : undefined
      const isChange = /^(?:Edit|MultiEdit|Write|NotebookEdit|edit_file|write_file)$/.test(call.name)
      return isChange && !call.is_error && typeof path === 'string' ? [{ path, tool: call.name }] : []
    }),
  )
  return [...new Map(changes.map(change => [change.path, change])).values()]
}

/** Commands that these turns ran. */
export const ranCommands = (turns: readonly PastTurn[]): readonly string[] =>
  turns.flatMap(turn =>
    turn.calls.flatMap(({ input, is_error }) =>
      !is_error && isSchema(input) && typeof input['command'] === 'string' ? [input['command']] : [],
    ),
  )
