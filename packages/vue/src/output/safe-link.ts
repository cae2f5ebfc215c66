/** Links out of what models and tools wrote: web and mail addresses only, the host in plain sight. */
import { linkAddress, namesHost } from '@toolwire/core/parts'
import { defineComponent } from 'vue'
import { useSessionContext } from '../session/session-context.ts'
import { h } from '../shared/h.ts'

/** An address of another kind is shown as text, without a link. */
export const SafeLink = defineComponent(
  (props: { readonly href: string; readonly label?: string }, { slots }) => {
    const { t } = useSessionContext()
    return () => {
      const inside = slots['default']?.() ?? props.label
      const link = linkAddress(props.href)
      if (!link) return h('span', { 'data-tw-part': 'link-refused' }, inside)
      const { host } = link
      return h(
        'a',
        {
          'data-tw-part': 'link',
          href: link.href,
          target: '_blank',
          rel: 'noopener noreferrer nofollow',
          title: t.value('link.host', { host }),
        },
        [
          inside,
          namesHost(props.label ?? '', host) ? null : h('span', { 'data-tw-part': 'link-host' }, host),
        ],
      )
    }
  },
  { name: 'SafeLink', props: ['href', 'label'] },
)
