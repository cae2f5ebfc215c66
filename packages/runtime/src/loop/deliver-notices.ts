/**
 * Delivers notices, such as the end of a background command: one message in the history, right before the model is
 * called again. Each notice is delivered once, because the message and its note are one commit.
 */
import type { Notice, SessionEvent, ToolScope, ToolSystem } from '@toolwire/core'
import type { AgentPort } from './agent-port.ts'

interface TellNewsDeps {
  readonly tools: Pick<ToolSystem, 'news'>
  readonly newId: (prefix: string) => string
}

/** Commits nothing without notices. */
export async function deliverNotices(port: AgentPort, deps: TellNewsDeps, scope: ToolScope): Promise<void> {
  const news = deps.tools.news?.(scope) ?? []
  if (news.length > 0) await port.commit(...toEvents(news, port, deps.newId('msg_')))
}

function toEvents(news: readonly Notice[], port: AgentPort, message_id: string): readonly SessionEvent[] {
  const stamp = port.stamp()
  const text = news.map(piece => piece.text).join('\n')
  return [
    {
      type: 'input.message',
      ...stamp,
      message_id,
      role: 'system',
      content: [{ type: 'text', text }],
      if_paused: 'join',
    },
    ...news.map(({ note }) => ({ type: 'note', ...stamp, ...note }) as const),
  ]
}
