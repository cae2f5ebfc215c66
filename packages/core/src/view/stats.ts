/** Sums of tokens, cost and time. A cost that nobody knows is never counted as zero. */
import type { Usage } from '../event.ts'
import { sumUsage } from '../state/evolve-turn.ts'
import { NO_STATS, type Stats } from './view.ts'

type Row = Stats['models'][number]

/** One more model request. */
export function addRequest(stats: Stats, model: string, usage: Usage, cost_usd: number | undefined): Stats {
  const row: Row = { model, usage, ...(cost_usd === undefined ? {} : { cost_usd }) }
  const known = stats.cost_usd !== undefined || cost_usd !== undefined
  return {
    ...stats,
    usage: sumUsage(stats.usage, usage),
    ...(known ? { cost_usd: (stats.cost_usd ?? 0) + (cost_usd ?? 0) } : {}),
    cost_partial: stats.cost_partial || cost_usd === undefined,
    turns: stats.turns + 1,
    models: addRow(stats.models, row),
  }
}

/** The totals that a run's last event reports, in place of what was summed up to then. */
export function setTotals(
  stats: Stats,
  totals: {
    readonly usage_by_model: readonly Row[]
    readonly cost_usd?: number | undefined
    readonly num_turns: number
  },
): Stats {
  const priced = totals.usage_by_model.filter(row => row.cost_usd !== undefined)
  const cost = totals.cost_usd ?? (priced.length > 0 ? sum(priced.map(row => row.cost_usd ?? 0)) : undefined)
  return {
    usage: totals.usage_by_model.reduce((usage, row) => sumUsage(usage, row.usage), NO_STATS.usage),
    ...(cost === undefined ? {} : { cost_usd: cost }),
    cost_partial: totals.cost_usd === undefined && totals.num_turns > 0,
    duration_ms: stats.duration_ms,
    turns: totals.num_turns,
    models: totals.usage_by_model,
  }
}

export const addTime = (stats: Stats, ms: number): Stats => ({
  ...stats,
  duration_ms: stats.duration_ms + Math.max(0, ms),
})

/** Several exchanges together. */
export function sumStats(all: readonly Stats[]): Stats {
  return all.reduce((total, stats) => {
    const known = total.cost_usd !== undefined || stats.cost_usd !== undefined
    return {
      usage: sumUsage(total.usage, stats.usage),
      ...(known ? { cost_usd: (total.cost_usd ?? 0) + (stats.cost_usd ?? 0) } : {}),
      cost_partial: total.cost_partial || stats.cost_partial,
      duration_ms: total.duration_ms + stats.duration_ms,
      turns: total.turns + stats.turns,
      models: stats.models.reduce(addRow, total.models),
    }
  }, NO_STATS)
}

function addRow(rows: readonly Row[], row: Row): readonly Row[] {
  const before = rows.find(r => r.model === row.model)
  if (!before) return [...rows, row]
  const known = before.cost_usd !== undefined || row.cost_usd !== undefined
  const both: Row = {
    model: row.model,
    usage: sumUsage(before.usage, row.usage),
    ...(known ? { cost_usd: (before.cost_usd ?? 0) + (row.cost_usd ?? 0) } : {}),
  }
  return rows.map(r => (r === before ? both : r))
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
