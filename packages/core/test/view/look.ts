/** What a page asks of a view, all of it at once. Throws where a page would. */
import {
  announce,
  blocksOf,
  createTranslate,
  describeCall,
  elapsedMs,
  emptyView,
  en,
  groupBlocks,
  messagesOf,
  type SessionView,
  textOf,
  titleOf,
  turnElapsedMs,
} from '../../src/view/index.ts'
import { statCells, threadRows, timelineRows } from '../../src/view/parts/index.ts'

const t = createTranslate(en)

export function look(view: SessionView): void {
  for (const call of view.calls.values()) {
    describeCall(call)
    elapsedMs(call, 0)
  }
  for (const turn of view.turns) {
    turnElapsedMs(turn, 0)
    for (const message of messagesOf(view, turn)) {
      textOf(message.content)
      groupBlocks(view, blocksOf(view, message))
    }
  }
  titleOf(view)
  announce(emptyView(), view, t)
  threadRows(view, [])
  timelineRows(view)
  statCells(view.stats, t)
}
