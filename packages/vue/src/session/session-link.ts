/** Leads to a session: a link where the page has addresses for sessions, a button where it has none. */
import { isPlainClick } from '@toolwire/core/parts'
import { defineComponent } from 'vue'
import { h } from '../shared/h.ts'

export interface SessionLinkProps {
  readonly id: string
  /** The address of a session in this page. */
  readonly href?: ((id: string) => string) | undefined
  /** In place of following the address. */
  readonly onOpen?: ((id: string) => void) | undefined
  readonly current?: boolean
}

export const SessionLink = defineComponent(
  (props: SessionLinkProps, { slots }) => {
    const follow = (event: MouseEvent) => {
      if (!props.onOpen || !isPlainClick(event)) return
      event.preventDefault()
      props.onOpen(props.id)
    }
    return () => {
      const mark = { 'aria-current': props.current ? ('page' as const) : undefined }
      const inside = slots['default']?.()
      return props.href
        ? h(
            'a',
            { 'data-tw-part': 'session-link', href: props.href(props.id), ...mark, onClick: follow },
            inside,
          )
        : h(
            'button',
            {
              type: 'button',
              'data-tw-part': 'session-link',
              ...mark,
              onClick: () => props.onOpen?.(props.id),
            },
            inside,
          )
    }
  },
  { name: 'SessionLink', props: ['id', 'href', 'onOpen', 'current'] },
)
