/**
 * The conversation in a scrolling box: it stays at its end while the reader is there, and only the rows near the
 * reader of a long one exist. Rows with pending items, and the one with the focus, always exist. Its height comes
 * from the page or the stylesheet.
 */
import {
  cardIn,
  drawsAllRows,
  foldsAbove,
  partLabels,
  pinnedRows,
  rowOfCall,
  StickToEnd,
  showCard,
  type ThreadRow,
  threadRows,
} from '@toolwire/core/parts'
import { Virtualizer, type VirtualizerHandle } from 'virtua/vue'
import {
  type ComputedRef,
  computed,
  defineComponent,
  onMounted,
  onScopeDispose,
  type ShallowRef,
  shallowRef,
  type VNode,
  watch,
} from 'vue'
import { provideToolSlots } from '../call/tool-slots.ts'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'
import { Message } from './message.ts'
import { TurnEnd } from './turn.ts'

export interface ThreadHandle {
  /**
   * Brings the card of a call into sight and opens what is folded above it; with `focus`, what is to be decided there
   * gets the keyboard. False when this conversation does not have the call.
   */
  readonly reveal: (call: string, options?: { readonly focus?: boolean }) => boolean
  /** Goes to the end and stays there. */
  readonly toEnd: () => void
}

/**
 * Slots: `empty` while there is nothing else, `actions` with `turn` below a finished exchange, `tool:` and a
 * tool's name with `call` instead of that tool's cards. Silent for screen readers while it grows; `Announcer`
 * announces the boundaries. A template's `ref` to it is a `ThreadHandle`.
 */
export const Thread = defineComponent(
  (_props: Record<never, never>, { slots, expose }) => {
    const { t } = useSessionContext()
    provideToolSlots(slots)
    const rows = useThreadRows()
    const list = shallowRef<VirtualizerHandle | null>(null)
    const { box, inner, stick, atEnd } = useStick()
    const { focused, onFocusin, onFocusout } = useFocusedRow()
    const flat = useFlat(() => rows.value.length, focused)
    const kept = useView(view => pinnedRows(view, rows.value, focused.value))
    const reveal = useReveal(rows, { box, list, stick })
    expose({ reveal, toEnd: () => stick.toEnd() } satisfies ThreadHandle)
    const draw = (row: ThreadRow): VNode =>
      h(
        'div',
        { key: row.key, 'data-tw-part': 'thread-row', 'data-row': row.key, 'data-turn-id': row.turn },
        [row.type === 'end' ? h(TurnEnd, { id: row.id }, slots) : h(Message, { id: row.id })],
      )
    const longList = () =>
      h(
        // Its types are those of a template; here it is any component.
        Virtualizer as unknown as ReturnType<typeof defineComponent>,
        { ref: list, data: rows.value, scrollRef: box.value ?? undefined, keepMounted: kept.value },
        { default: ({ item }: { readonly item: ThreadRow }) => [draw(item)] },
      )
    return () => {
      const words = partLabels(t.value)
      const nothing = () =>
        slots['empty']?.() ?? h('p', { 'data-tw-part': 'empty' }, t.value('session.empty'))
      const scroll = { ref: box, role: 'log', 'aria-live': 'off', 'aria-label': words.thread, tabindex: 0 }
      const inside = { ref: inner, 'data-flat': flat.value, onFocusin, onFocusout }
      return h('div', { 'data-tw-part': 'thread' }, [
        h('div', { 'data-tw-part': 'thread-scroll', ...scroll }, [
          h('div', { 'data-tw-part': 'thread-rows', ...inside }, [
            rows.value.length === 0 ? nothing() : null,
            ...(flat.value ? rows.value.map(draw) : [longList()]),
          ]),
        ]),
        atEnd.value ? null : toEndButton(words.to_end, () => stick.toEnd()),
      ])
    }
  },
  { name: 'Thread' },
)

const toEndButton = (words: string, onClick: () => void): VNode =>
  h('button', { type: 'button', 'data-tw-part': 'to-end', 'aria-label': words, title: words, onClick }, [
    icon('down'),
  ])

function useThreadRows(): ComputedRef<readonly ThreadRow[]> {
  let last: readonly ThreadRow[] = []
  return useView(view => {
    last = threadRows(view, last)
    return last
  })
}

/** True if all rows are drawn. */
function useFlat(rows: () => number, focused: ShallowRef<string | undefined>): ComputedRef<boolean> {
  const waits = useView(view => view.pending.length > 0)
  let before = false
  return computed(() => {
    const held = waits.value || focused.value !== undefined
    const flat = drawsAllRows(rows(), { flat: before, held })
    before = flat && rows() > 0
    return flat
  })
}

/** A session is shown from its end. */
function useStick() {
  const { session } = useSessionContext()
  const box = shallowRef<HTMLElement | null>(null)
  const inner = shallowRef<HTMLElement | null>(null)
  const atEnd = shallowRef(true)
  const stick = new StickToEnd(now => {
    atEnd.value = now
  })
  let leave: (() => void) | undefined
  onMounted(() => {
    if (box.value && inner.value) leave = stick.attach(box.value, inner.value)
    stick.toEnd()
  })
  onScopeDispose(() => leave?.())
  watch(session, () => stick.toEnd(), { flush: 'post' })
  return { box, inner, stick, atEnd }
}

/** Key of the row that holds the focus. */
function useFocusedRow() {
  const focused = shallowRef<string | undefined>(undefined)
  const onFocusin = ({ target }: FocusEvent) => {
    const row = target instanceof Element ? target.closest('[data-row]') : null
    focused.value = row?.getAttribute('data-row') ?? undefined
  }
  const onFocusout = ({ currentTarget, relatedTarget }: FocusEvent) => {
    const stays = currentTarget instanceof Element && currentTarget.contains(relatedTarget as Node | null)
    if (!stays) focused.value = undefined
  }
  return { focused, onFocusin, onFocusout }
}

interface ThreadElements {
  readonly box: ShallowRef<HTMLElement | null>
  readonly list: ShallowRef<VirtualizerHandle | null>
  readonly stick: StickToEnd
}

function useReveal(
  rows: ComputedRef<readonly ThreadRow[]>,
  { box, list, stick }: ThreadElements,
): ThreadHandle['reveal'] {
  const { session, disclosure } = useSessionContext()
  return (call, { focus = false } = {}) => {
    const { view } = session.value.getSnapshot()
    const row = rowOfCall(view, rows.value, call)
    const frame = box.value
    if (row < 0 || !frame) return false
    for (const fold of foldsAbove(view, call)) disclosure.value.set(fold, true)
    stick.letGo()
    list.value?.scrollToIndex(row, { align: 'center' })
    showCard(() => cardIn(frame, call), focus)
    return true
  }
}
