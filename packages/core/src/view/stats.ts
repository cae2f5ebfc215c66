/** Sums of tokens, cost and time. An unknown cost is never counted as zero. */
import type { Usage } from '../event.ts'
import { sumUsage } from '../state/evolve-turn.ts'
import { NO_STATS, type Stats } from './view.ts'

type ModelStats = Stats['models'][number]

/** One more model request. */
export function addRequest(stats: Stats, model: string, usage: Usage, cost_usd: number | undefined): Stats {
  const cost = sumCosts([{ cost_usd }])
  const cost_partial = cost_usd === undefined
  const models = [{ model, usage, ...cost }]
  return sumStats([stats, { usage, ...cost, cost_partial, duration_ms: 0, turns: 1, models }])
}

/** The totals that a run's last event reports, in place of what was summed up to then. */
export function setTotals(
  stats: Stats,
  totals: {
    readonly usage_by_model: readonly ModelStats[]
    readonly cost_usd?: number | undefined
    readonly num_turns: number
  },
): Stats {
  const rows = totals.usage_by_model
  const known = totals.cost_usd !== undefined
  return {
    usage: rows.reduce((usage, row) => sumUsage(usage, row.usage), NO_STATS.usage),
    ...sumCosts(known ? [totals] : rows),
    cost_partial: !known && totals.num_turns > 0,
    duration_ms: stats.duration_ms,
    turns: totals.num_turns,
    models: rows,
  }
}

export const addTime = (stats: Stats, ms: number): Stats => ({
  ...stats,
  duration_ms: stats.duration_ms + Math.max(0, ms),
})

/** Several exchanges together. */
export const sumStats = (all: readonly Stats[]): Stats =>
  all.reduce(
    (total, stats) => ({
      usage: sumUsage(total.usage, stats.usage),
      ...sumCosts([total, stats]),
      cost_partial: total.cost_partial || stats.cost_partial,
      duration_ms: total.duration_ms + stats.duration_ms,
      turns: total.turns + stats.turns,
      models: stats.models.reduce(addRow, total.models),
    }),
    NO_STATS,
  )

function addRow(rows: readonly ModelStats[], row: ModelStats): readonly ModelStats[] {
  const before = rows.find(r => r.model === row.model)
  if (!before) return [...rows, row]
  const both: ModelStats = {
    model: row.model,
    usage: sumUsage(before.usage, row.usage),
    ...sumCosts([before, row]),
  }
  return rows.map(r => (r === before ? both : r))
}

/** The sum of the costs that are known; nothing when none is. */
function sumCosts(all: readonly { readonly cost_usd?: number | undefined }[]): { cost_usd?: number } {
  const known = all.flatMap(({ cost_usd }) => cost_usd ?? [])
  return known.length > 0 ? { cost_usd: known.reduce((a, b) => a + b, 0) } : {}
}
