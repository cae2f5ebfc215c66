/** What an exchange or a session took: cost, tokens, cache, time, model requests. */
import { formatCost, formatDuration, formatTokens, type Stats } from '@toolwire/core/view'
import { useSessionContext } from './session-context.ts'
import { useView } from './use-session.ts'

export function StatsBar({ stats }: { readonly stats: Stats }) {
  const { t } = useSessionContext()
  const { usage } = stats
  const cost = formatCost(stats.cost_usd, t.locale)
  const partial = stats.cost_partial && stats.cost_usd !== undefined
  const cells = [
    ['cost', t('stats.cost'), partial ? t('stats.cost_partial', { cost }) : cost],
    ['tokens-in', t('stats.tokens_in'), formatTokens(usage.input, t.locale)],
    ['tokens-out', t('stats.tokens_out'), formatTokens(usage.output, t.locale)],
    ['cache', t('stats.cache'), formatTokens(usage.cache_read + usage.cache_write, t.locale)],
    ['time', t('stats.time'), formatDuration(stats.duration_ms, t.locale)],
  ] as const
  return (
    <dl data-tw-part="stats">
      {cells.map(([name, label, value]) => (
        <div key={name} data-stat={name} title={value === '—' ? t('stats.cost_unknown') : undefined}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      <div data-stat="turns">
        <dt />
        <dd>{t('stats.turns', { n: stats.turns })}</dd>
      </div>
    </dl>
  )
}

/** How full the model's context is. Without a known window only the tokens are told. */
export function ContextMeter({ window }: { readonly window?: number }) {
  const { t } = useSessionContext()
  const context = useView(view => view.context)
  if (!context) return null
  const tokens = formatTokens(context.tokens, t.locale)
  if (!window) return <span data-tw-part="context">{t('stats.context', { percent: tokens })}</span>
  const share = Math.min(1, context.tokens / window)
  const percent = new Intl.NumberFormat(t.locale, { style: 'percent' }).format(share)
  return (
    <span data-tw-part="context" data-level={share > 0.9 ? 'high' : share > 0.7 ? 'medium' : 'low'}>
      <span>{t('stats.context', { percent })}</span>
      <progress max={window} value={context.tokens} aria-label={t('stats.context', { percent })} />
    </span>
  )
}
