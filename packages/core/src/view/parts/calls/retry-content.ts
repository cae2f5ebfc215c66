/** The latest request, for a retry. */
import type { ContentPart } from '../../../event.ts'
import type { SessionView } from '../../view.ts'

/** Throws when nothing was asked. */
export function retryContent(view: SessionView): readonly ContentPart[] {
  const asked = view.messages.get(view.turns.at(-1)?.messages[0] ?? '')
  if (!asked || asked.content.length === 0) throw new Error('Nothing was asked in this session.')
  return asked.content
}
