/** What an exchange or a session took: cost, tokens, cache, time, model requests. */
import { formatCost, formatDuration, formatTokens, type Stats } from '@toolwire/core/view'
import { defineComponent, h } from 'vue'
import { useSessionContext } from './session-context.ts'
import { useView } from './use-session.ts'

export const StatsBar = defineComponent(
  (props: { readonly stats: Stats }) => {
    const { t: translate } = useSessionContext()
    return () => {
      const t = translate.value
      const { usage, cost_usd, cost_partial, duration_ms, turns } = props.stats
      const cost = formatCost(cost_usd, t.locale)
      const partial = cost_partial && cost_usd !== undefined
      const cells = [
        ['cost', t('stats.cost'), partial ? t('stats.cost_partial', { cost }) : cost],
        ['tokens-in', t('stats.tokens_in'), formatTokens(usage.input, t.locale)],
        ['tokens-out', t('stats.tokens_out'), formatTokens(usage.output, t.locale)],
        ['cache', t('stats.cache'), formatTokens(usage.cache_read + usage.cache_write, t.locale)],
        ['time', t('stats.time'), formatDuration(duration_ms, t.locale)],
      ] as const
      return h('dl', { 'data-tw-part': 'stats' }, [
        ...cells.map(([name, label, value]) =>
          h(
            'div',
            { key: name, 'data-stat': name, title: value === '—' ? t('stats.cost_unknown') : undefined },
            [h('dt', label), h('dd', value)],
          ),
        ),
        h('div', { 'data-stat': 'turns' }, [h('dt'), h('dd', t('stats.turns', { n: turns }))]),
      ])
    }
  },
  { name: 'StatsBar', props: ['stats'] },
)

/** How full the model's context is. Without a known window only the tokens are told. */
export const ContextMeter = defineComponent(
  (props: { readonly window?: number }) => {
    const { t: translate } = useSessionContext()
    const context = useView(view => view.context)
    return () => {
      const t = translate.value
      const { window } = props
      if (!context.value) return null
      const { tokens } = context.value
      if (!window)
        return h(
          'span',
          { 'data-tw-part': 'context' },
          t('stats.context', { percent: formatTokens(tokens, t.locale) }),
        )
      const share = Math.min(1, tokens / window)
      const percent = new Intl.NumberFormat(t.locale, { style: 'percent' }).format(share)
      const words = t('stats.context', { percent })
      const level = share > 0.9 ? 'high' : share > 0.7 ? 'medium' : 'low'
      return h('span', { 'data-tw-part': 'context', 'data-level': level }, [
        h('span', words),
        h('progress', { max: window, value: tokens, 'aria-label': words }),
      ])
    }
  },
  { name: 'ContextMeter', props: ['window'] },
)
