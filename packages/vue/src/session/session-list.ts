/** The sessions of a server, by age, with a search. */
import type { Client, ListSessions, SessionJson } from '@toolwire/client'
import { partLabels, sessionsByAge } from '@toolwire/core/parts'
import { createTranslate, en, type Strings } from '@toolwire/core/view'
import { computed, defineComponent, shallowRef } from 'vue'
import { h } from '../shared/h.ts'
import { SessionLink, type SessionLinkProps } from './session-link.ts'
import { type PollOptions, useSessionList } from './use-session-list.ts'

export interface SessionListProps extends PollOptions, Pick<SessionLinkProps, 'href' | 'onOpen'> {
  readonly client: Client
  /** English by default. */
  readonly strings?: Strings
  /** The default query before a search; the last hundred sessions by default. */
  readonly query?: ListSessions
  /** Id of the session that the page shows. */
  readonly current?: string
  readonly clock?: () => number
}

const LATEST: ListSessions = { limit: 100, inputs: 'short' }

/** Needs no session around it. Reads the list again every few seconds while the page is seen. The client stays the one it began with. Slot `actions`: further controls of one `session`. */
export const SessionList = defineComponent(
  (props: SessionListProps, { slots }) => {
    const t = computed(() => createTranslate(props.strings ?? en))
    const text = shallowRef('')
    const wanted = computed(() => text.value.trim())
    const query = () => {
      const given = props.query ?? LATEST
      return wanted.value === '' ? given : { ...given, text: wanted.value }
    }
    const { intervalMs } = props
    const { data, loaded, error } = useSessionList(
      props.client,
      query,
      intervalMs === undefined ? {} : { intervalMs },
    )
    const item = (session: SessionJson) => {
      const { id, status, title } = session
      const current = id === props.current
      return h(
        'li',
        {
          key: id,
          'data-tw-part': 'session',
          'data-session-id': id,
          'data-state': status,
          'data-tw-state': status,
          'data-current': current,
        },
        [
          h(SessionLink, { id, href: props.href, onOpen: props.onOpen, current }, () => [
            h('i', { 'aria-hidden': 'true' }),
            h('span', { 'data-tw-part': 'session-title' }, title ?? t.value('session.untitled')),
            status === 'idle'
              ? null
              : h(
                  'span',
                  { 'data-tw-part': 'session-state' },
                  t.value(status === 'failed' ? 'turn.failed' : `phase.${status}`),
                ),
          ]),
          slots['actions']?.({ session }),
        ],
      )
    }
    const search = () =>
      h('input', {
        type: 'search',
        'data-tw-part': 'session-search',
        'aria-label': t.value('session.search'),
        placeholder: t.value('session.search'),
        value: text.value,
        onInput: (event: Event) => {
          text.value = (event.target as HTMLInputElement).value
        },
      })
    return () => {
      const words = partLabels(t.value)
      const none = loaded.value && !error.value && data.value.length === 0
      return h('section', { 'data-tw-part': 'session-list', 'aria-label': t.value('session.list') }, [
        search(),
        error.value ? h('p', { 'data-tw-part': 'error', role: 'alert' }, error.value.message) : null,
        none
          ? h(
              'p',
              { 'data-tw-part': 'empty' },
              wanted.value === '' ? t.value('session.empty') : words.no_match,
            )
          : null,
        ...sessionsByAge(data.value, (props.clock ?? Date.now)()).map(([age, sessions]) =>
          h('section', { key: age, 'data-tw-part': 'session-group' }, [
            h('h2', words[age]),
            h('ul', sessions.map(item)),
          ]),
        ),
      ])
    }
  },
  {
    name: 'SessionList',
    props: ['client', 'strings', 'query', 'current', 'href', 'onOpen', 'intervalMs', 'clock'],
  },
)
