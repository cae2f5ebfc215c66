/** Totals of an exchange or a session: cost, tokens, cache, time, model requests. */
import { statCells } from '@toolwire/core/parts'
import { formatTokens, type Stats } from '@toolwire/core/view'
import { defineComponent } from 'vue'
import { h } from '../shared/h.ts'
import { useSessionContext } from './session-context.ts'
import { useView } from './use-session.ts'

export const StatsBar = defineComponent(
  (props: { readonly stats: Stats }) => {
    const { t } = useSessionContext()
    return () =>
      h(
        'dl',
        { 'data-tw-part': 'stats' },
        statCells(props.stats, t.value).map(({ name, label, value, hint }) =>
          h('div', { key: name, 'data-stat': name, title: hint }, [h('dt', label), h('dd', value)]),
        ),
      )
  },
  { name: 'StatsBar', props: ['stats'] },
)

/** Usage of the model's context. Without a known window only the tokens are shown. */
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
