/** Names a conversation by how it begins. */
import { createHash } from 'node:crypto'
import type { ModelRequest } from '@toolwire/core'

/** The same digest for every request of a conversation and for its forks. Pure. */
export function conversationOf({ system, messages, tools }: ModelRequest): string {
  const first = messages.find(message => message.role === 'user')
  const begin = JSON.stringify([system ?? '', tools.map(tool => tool.name), first?.content ?? []])
  return createHash('sha256').update(begin).digest('hex').slice(0, 32)
}
