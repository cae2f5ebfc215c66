import { sumStats } from './stats.ts'
import type { SessionView, TurnView } from './view.ts'

/** Changes the latest exchange and everything summed from it. */
export function changeTurn(view: SessionView, change: (turn: TurnView) => TurnView): SessionView {
  const turn = view.turns.at(-1)
  if (!turn) return view
  const next = change(turn)
  const turns = view.turns.with(-1, next)
  if (next.stats === turn.stats) return { ...view, turns }
  return { ...view, turns, stats: sumStats([view.earlier_stats, next.stats]) }
}
