/** Commands typed instead of a request, and the scenario that one of them may have started. */
import type { HistoryMessage, ModelRequest } from '@toolwire/core'
import { readConversation } from './conversation.ts'

export interface SlashCommand {
  readonly name: string
  readonly argument: string
}

/** The command of a text; undefined without one (a path such as /etc/hosts is no command). */
export function readSlashCommand(text: string): SlashCommand | undefined {
  const match = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(text.trim())
  return match?.[1] === undefined
    ? undefined
    : { name: match[1].toLowerCase(), argument: (match[2] ?? '').trim() }
}

/**
 * The scenario in force: the latest `/scenario NAME` that no `/scenario off` ended. Its request begins
 * at that message, whose text is what follows the name, so that turns are counted from there.
 */
export function activeScenario(
  request: ModelRequest,
): { readonly name: string; readonly request: ModelRequest } | undefined {
  for (let at = request.messages.length - 1; at >= 0; at--) {
    const message = request.messages[at]
    if (message?.role !== 'user') continue
    const command = readSlashCommand(readConversation({ ...request, messages: [message] }).text)
    if (command?.name !== 'scenario') continue
    const [, name = '', text = ''] = /^(\S*)\s*([\s\S]*)$/.exec(command.argument) ?? []
    if (name === 'off') return undefined
    const start: HistoryMessage = {
      role: 'user',
      content: [{ type: 'text', text: text === '' ? name : text }],
    }
    return { name, request: { ...request, messages: [start, ...request.messages.slice(at + 1)] } }
  }
  return undefined
}
