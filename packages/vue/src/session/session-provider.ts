/** Puts a session within reach of the parts below it. */
import type { Client, SessionSnapshot } from '@toolwire/client'
import { type Density, NewPending } from '@toolwire/core/parts'
import {
  type CallView,
  createTranslate,
  en,
  type PendingView,
  type Strings,
  type ToolRenderer,
} from '@toolwire/core/view'
import {
  type Component,
  computed,
  defineComponent,
  onMounted,
  onScopeDispose,
  provide,
  type Ref,
  shallowRef,
  watch,
} from 'vue'
import { PlainCode, PlainText } from '../output/plain-text.ts'
import { Disclosure } from '../shared/disclosure.ts'
import { Message } from '../thread/message.ts'
import { SESSION, type SessionCommands, type SessionSource } from './session-context.ts'

export interface SessionProviderProps {
  /** The client whose session `sessionId` is shown. */
  readonly client?: Client
  readonly sessionId?: string
  /** In place of `client`: a session from elsewhere, and where its commands go. */
  readonly session?: SessionSource
  readonly commands?: SessionCommands
  /** English by default; see `@toolwire/core/strings` for the others. */
  readonly strings?: Strings
  /** Looked at before the built-in ones. */
  readonly renderers?: readonly ToolRenderer[]
  readonly density?: Density
  /** Draws the assistant's text; plain paragraphs by default. It must not trust the text. */
  readonly text?: Component
  /** Draws files and code; without colours by default. */
  readonly code?: Component
  /** Further controls of every call, with the prop `call`; none by default. */
  readonly callActions?: Component
  /** Replaces "View full" where the log holds only a part of a call's output; prop `call`. */
  readonly fullOutput?: Component
  /** Components that draw the calls of tools in place of cards, by the tool's name; prop `call`. */
  readonly tools?: Readonly<Record<string, Component>>
  /**
   * Called with everything that starts to wait for the user, including items that wait already when the session is
   * opened.
   */
  readonly onNeedsAttention?: (item: PendingView) => void
  /** Takes what was written into the form of a call, such as StickerRequest; the server never gets it. */
  readonly onForm?: (call: CallView, values: unknown) => unknown
  readonly clock?: () => number
}

/** Throws when neither a client with a session id nor a session with commands is given. */
export const SessionProvider = defineComponent(
  (props: SessionProviderProps, { slots }) => {
    const session = computed(() => {
      const { client, sessionId } = props
      const found = props.session ?? (sessionId === undefined ? undefined : client?.session(sessionId))
      if (!found) throw new Error('<SessionProvider> needs client and sessionId, or session and commands.')
      return found
    })
    const commands = computed((): SessionCommands => {
      const { client } = props
      if (props.commands) return props.commands
      if (!client) throw new Error('<SessionProvider> needs a client, or commands.')
      return { ...client.sessions, events: client.events, frames: client.frames, files: client.files }
    })
    const snapshot = useSnapshot(() => session.value)
    tellAttention(snapshot, session, item => props.onNeedsAttention?.(item))
    provide(SESSION, {
      session,
      snapshot,
      commands,
      t: computed(() => createTranslate(props.strings ?? en)),
      renderers: computed(() => props.renderers ?? []),
      disclosure: computed(() => new Disclosure(props.density)),
      Text: computed(() => props.text ?? PlainText),
      Code: computed(() => props.code ?? PlainCode),
      Message,
      CallActions: computed(() => props.callActions),
      FullOutput: computed(() => props.fullOutput),
      tools: computed(() => props.tools ?? {}),
      onForm: computed(() => props.onForm),
      clock: () => (props.clock ?? Date.now)(),
    })
    return () => slots['default']?.()
  },
  {
    name: 'SessionProvider',
    props: [
      'client',
      'sessionId',
      'session',
      'commands',
      'strings',
      'renderers',
      'density',
      'text',
      'code',
      'callActions',
      'fullOutput',
      'tools',
      'onNeedsAttention',
      'onForm',
      'clock',
    ],
  },
)

/** Follows the session while mounted; a server that renders the page takes the snapshot as it is. */
function useSnapshot(session: () => SessionSource) {
  const snapshot = shallowRef(session().getSnapshot())
  let leave: (() => void) | undefined
  const follow = () => {
    leave?.()
    const source = session()
    snapshot.value = source.getSnapshot()
    leave = source.subscribe(() => {
      snapshot.value = source.getSnapshot()
    })
  }
  let mounted = false
  onMounted(() => {
    mounted = true
    follow()
  })
  watch(session, () => mounted && follow())
  onScopeDispose(() => leave?.())
  return snapshot
}

/** Each item once, in order, on pages alone. */
function tellAttention(
  snapshot: Readonly<Ref<SessionSnapshot>>,
  session: Readonly<Ref<SessionSource>>,
  tell: (item: PendingView) => void,
): void {
  let told = new NewPending()
  const look = () => {
    for (const item of told.of(snapshot.value.view)) tell(item)
  }
  onMounted(() => {
    look()
    watch(snapshot, look)
  })
  watch(session, () => {
    told = new NewPending()
  })
}
