/** Links out of what models and tools wrote: web and mail addresses only, the host in plain sight. */
import { defineComponent, h } from 'vue'
import { useSessionContext } from './session-context.ts'

const ALLOWED: ReadonlySet<string> = new Set(['https:', 'http:', 'mailto:'])

/** An address of another kind is shown as text, without a link. */
export const SafeLink = defineComponent(
  (props: { readonly href: string; readonly label?: string }, { slots }) => {
    const { t } = useSessionContext()
    return () => {
      const inside = slots['default']?.() ?? props.label
      const url = URL.parse(props.href)
      if (!url || !ALLOWED.has(url.protocol)) return h('span', { 'data-tw-part': 'link-refused' }, inside)
      const host = url.protocol === 'mailto:' ? url.pathname : url.host
      return h(
        'a',
        {
          'data-tw-part': 'link',
          href: url.href,
          target: '_blank',
          rel: 'noopener noreferrer nofollow',
          title: t.value('link.host', { host }),
        },
        [
          inside,
          (props.label ?? '').includes(host) ? null : h('span', { 'data-tw-part': 'link-host' }, host),
        ],
      )
    }
  },
  { name: 'SafeLink', props: ['href', 'label'] },
)
