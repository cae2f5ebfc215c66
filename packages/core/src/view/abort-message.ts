/** An interrupted message: its text stays and is marked. */
import type { Failure } from '../event.ts'
import { addTo } from './fields.ts'
import type { MessageView, SessionView } from './view.ts'

export function abortMessage(
  view: SessionView,
  message: MessageView,
  end: { readonly ts: string; readonly reason: string; readonly error?: Failure | undefined },
): SessionView {
  const ended_at = Date.parse(end.ts)
  let { blocks } = view
  for (const id of message.blocks) {
    const block = blocks.get(id)
    if (block?.state === 'streaming') blocks = blocks.set(id, { ...block, state: 'aborted', ended_at })
  }
  const aborted = addTo<MessageView>(
    { ...message, state: 'aborted', abort_reason: end.reason, ended_at },
    { error: end.error },
  )
  return { ...view, blocks, messages: view.messages.set(message.id, aborted) }
}
