/** Totals of an exchange or a session: cost, tokens, cache, time, model requests. */
import { statCells } from '@toolwire/core/parts'
import { formatTokens, type Stats } from '@toolwire/core/view'
import { useSessionContext } from './session-context.ts'
import { useView } from './use-session.ts'

export function StatsBar({ stats }: { readonly stats: Stats }) {
  const { t } = useSessionContext()
  return (
    <dl data-tw-part="stats">
      {statCells(stats, t).map(({ name, label, value, hint }) => (
        <div key={name} data-stat={name} title={hint}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Usage of the model's context. Without a known window only the tokens are shown. */
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
