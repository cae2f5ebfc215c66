/** The cells of a statistics bar, in words. */
import { formatCost, formatDuration, formatTokens } from '../../format.ts'
import type { Translate } from '../../strings/translate.ts'
import type { Stats } from '../../view.ts'

export interface StatCell {
  /** Stable: `cost`, `tokens-in`, `tokens-out`, `cache`, `time`, `turns`. */
  readonly name: string
  readonly label: string
  readonly value: string
  /** Explains an unknown value. */
  readonly hint?: string
}

/** In this order. A cost and a cache of zero are left out; an unknown cost is not. */
export function statCells(stats: Stats, t: Translate): readonly StatCell[] {
  const { usage, cost_usd, duration_ms, turns } = stats
  const cost = formatCost(cost_usd, t.locale)
  const partial = stats.cost_partial && cost_usd !== undefined
  const cache = usage.cache_read + usage.cache_write
  const cells: readonly StatCell[] = [
    {
      name: 'cost',
      label: t('stats.cost'),
      value: partial ? t('stats.cost_partial', { cost }) : cost,
      ...(cost_usd === undefined ? { hint: t('stats.cost_unknown') } : {}),
    },
    { name: 'tokens-in', label: t('stats.tokens_in'), value: formatTokens(usage.input, t.locale) },
    { name: 'tokens-out', label: t('stats.tokens_out'), value: formatTokens(usage.output, t.locale) },
    {
      name: 'cache',
      label: t('stats.cache'),
      value: formatTokens(cache, t.locale),
    },
    { name: 'time', label: t('stats.time'), value: formatDuration(duration_ms, t.locale) },
    { name: 'turns', label: '', value: t('stats.turns', { n: turns }) },
  ]
  const isZero = (name: string) =>
    (name === 'cost' && cost_usd === 0 && !partial) || (name === 'cache' && cache === 0)
  return cells.filter(cell => !isZero(cell.name))
}
