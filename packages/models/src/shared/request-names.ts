/** Names of tools that a request offers, and of those that its history calls. Names may repeat. */
import type { ModelRequest } from '@toolwire/core'

export function namesIn({ tools, messages }: Pick<ModelRequest, 'tools' | 'messages'>): readonly string[] {
  const names = tools.map(tool => tool.name)
  for (const message of messages)
    if (message.role === 'assistant')
      for (const part of message.content) if (part.type === 'tool_use') names.push(part.name)
  return names
}
