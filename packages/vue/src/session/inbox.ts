/** All pending items of all sessions, each with its own card. */
import type { Client, InboxItem } from '@toolwire/client'
import { partLabels } from '@toolwire/core/parts'
import { createTranslate, en, titleOf } from '@toolwire/core/view'
import { computed, defineComponent } from 'vue'
import { ToolCallCard } from '../call/tool-call.ts'
import { h } from '../shared/h.ts'
import { useSessionContext } from './session-context.ts'
import { SessionLink, type SessionLinkProps } from './session-link.ts'
import { SessionProvider, type SessionProviderProps } from './session-provider.ts'
import { useView } from './use-session.ts'
import type { PollState } from './use-session-list.ts'

type DisplayProps = Pick<
  SessionProviderProps,
  'strings' | 'renderers' | 'density' | 'text' | 'code' | 'callActions' | 'fullOutput' | 'onForm' | 'clock'
>

export interface InboxProps extends DisplayProps, Pick<SessionLinkProps, 'href' | 'onOpen'> {
  readonly client: Client
  /** The result of `useInbox(client)`. */
  readonly inbox: PollState<readonly InboxItem[]>
  /**
   * Number of sessions that are followed and can be answered in place; the others are listed by name. 3 by
   * default: browsers keep six connections to one server.
   */
  readonly live?: number
  /** Leaves out the items for which it returns false. */
  readonly filter?: (item: PendingFields) => boolean
}

/** Fields that items of the list share with waiting calls of a session. */
export type PendingFields = Pick<InboxItem, 'kind' | 'name' | 'input_text' | 'message'>

const ALL = (): boolean => true

/** Needs no session around it. Cards are those of the conversation: they change when the log says so. Slot: further content of a session that is followed, with `sessionId`. */
export const Inbox = defineComponent(
  (props: InboxProps, { slots }) => {
    const t = computed(() => createTranslate(props.strings ?? en))
    const items = computed(() => props.inbox.data.value.filter(props.filter ?? ALL))
    const sessions = computed(() => [...new Set(items.value.map(item => item.session_id))])
    const followed = (id: string) => {
      const { strings, renderers, density, text, code, callActions, fullOutput, onForm, clock } = props
      const given = { strings, renderers, density, text, code, callActions, fullOutput, onForm, clock }
      const shown = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
      return h(SessionProvider, { key: id, client: props.client, sessionId: id, ...shown }, () =>
        h(Waiting, { id, href: props.href, onOpen: props.onOpen, filter: props.filter ?? ALL }, () =>
          slots['default']?.({ sessionId: id }),
        ),
      )
    }
    const named = (id: string) => {
      const own = items.value.filter(item => item.session_id === id)
      return h('section', { key: id, 'data-tw-part': 'inbox-session', 'data-session-id': id }, [
        h('p', { 'data-tw-part': 'inbox-names' }, own.map(item => item.message ?? item.name).join(' · ')),
        h(SessionLink, { id, href: props.href, onOpen: props.onOpen }, () => partLabels(t.value).open),
      ])
    }
    return () => {
      const { live = 3, inbox } = props
      const { error } = inbox
      const none = inbox.loaded.value && !error.value && sessions.value.length === 0
      return h('section', { 'data-tw-part': 'inbox', 'aria-label': t.value('inbox.title') }, [
        error.value ? h('p', { 'data-tw-part': 'error', role: 'alert' }, error.value.message) : null,
        none ? h('p', { 'data-tw-part': 'empty' }, t.value('inbox.empty')) : null,
        ...sessions.value.slice(0, live).map(followed),
        ...sessions.value.slice(live).map(named),
      ])
    }
  },
  {
    name: 'Inbox',
    props: [
      'client',
      'inbox',
      'live',
      'filter',
      'href',
      'onOpen',
      'strings',
      'renderers',
      'density',
      'text',
      'code',
      'callActions',
      'fullOutput',
      'onForm',
      'clock',
    ],
  },
)

interface WaitingProps extends SessionLinkProps {
  readonly filter: (item: PendingFields) => boolean
}

const Waiting = defineComponent(
  (props: WaitingProps, { slots }) => {
    const { t } = useSessionContext()
    const title = useView(titleOf)
    const all = useView(view => view.pending)
    const pending = computed(() => all.value.filter(props.filter))
    const calls = useView(view => view.calls)
    return () => {
      if (pending.value.length === 0) return slots['default']?.()
      return h('section', { 'data-tw-part': 'inbox-session', 'data-session-id': props.id }, [
        h('h2', [
          h(
            SessionLink,
            { id: props.id, href: props.href, onOpen: props.onOpen },
            () => title.value || t.value('session.untitled'),
          ),
        ]),
        ...pending.value.map(item => {
          const call = calls.value.get(item.call)
          return call ? h(ToolCallCard, { key: item.id, call }) : null
        }),
        slots['default']?.(),
      ])
    }
  },
  { name: 'Waiting', props: ['id', 'href', 'onOpen', 'filter'] },
)
