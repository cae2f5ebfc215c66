/** Questions about the exchange that is being drawn. */
import type { MessageView, SessionView, TurnView } from '../../view.ts'

/** The last exchanges change most, so they are looked for first. */
export const findTurn = (view: SessionView, id: string): TurnView | undefined =>
  view.turns.findLast(turn => turn.id === id)

/** Text arrives or a call shows its own state, so no other activity indicator is needed. */
export function isActive(view: SessionView): boolean {
  if (view.active.length > 0) return true
  const last = view.messages.get(view.turns.at(-1)?.messages.at(-1) ?? '')
  const block = view.blocks.get(last?.blocks.at(-1) ?? '')
  return block?.state === 'streaming' && block.text !== ''
}

/** Id of the first answer of an exchange: the one that its versions are about. */
export const answerOf = (view: SessionView, turn: string): string | undefined =>
  findTurn(view, turn)?.messages.find(id => view.messages.get(id)?.role === 'assistant')

/** Messages of the user that wait, in order. One that an idle session has just got starts its run at once. */
export const queuedByUser = (view: SessionView): readonly MessageView[] =>
  view.queue.filter(({ role, is_held }) => role === 'user' && (view.phase !== 'idle' || is_held === true))
