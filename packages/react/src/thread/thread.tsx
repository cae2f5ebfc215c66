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
import type { TurnView } from '@toolwire/core/view'
import {
  type FocusEvent,
  forwardRef,
  memo,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { SessionContext, type SessionContextValue, useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { Icon } from '../shared/icon.tsx'
import type { ConversationProps } from './conversation.tsx'
import { Message } from './message.tsx'
import { TurnEnd } from './turn.tsx'

export interface ThreadProps extends ConversationProps {
  /** Components that draw the calls of tools in place of cards, by the tool's name; beside those of the provider. */
  readonly tools?: SessionContextValue['tools']
}

export interface ThreadHandle {
  /**
   * Brings the card of a call into sight and opens what is folded above it; with `focus`, what is to be decided there
   * gets the keyboard. False when this conversation does not have the call.
   */
  readonly reveal: (call: string, options?: { readonly focus?: boolean }) => boolean
  /** Goes to the end and stays there. */
  readonly toEnd: () => void
}

/** Silent for screen readers while it grows; `Announcer` announces the boundaries. */
export const Thread = forwardRef<ThreadHandle, ThreadProps>(function Thread({ tools, ...given }, ref) {
  const around = useSessionContext()
  const value = useMemo(
    () => (tools ? { ...around, tools: { ...around.tools, ...tools } } : around),
    [around, tools],
  )
  return (
    <SessionContext.Provider value={value}>
      <Frame {...given} handle={ref} />
    </SessionContext.Provider>
  )
})

interface FrameProps extends ConversationProps {
  readonly handle: Parameters<typeof useImperativeHandle<ThreadHandle, ThreadHandle>>[0]
}

function Frame({ empty, actions, handle }: FrameProps) {
  const { t } = useSessionContext()
  const words = partLabels(t)
  const rows = useThreadRows()
  const list = useRef<VirtualizerHandle>(null)
  const { box, inner, stick, atEnd } = useStick()
  const { focused, onFocus, onBlur } = useFocusedRow()
  const flat = useFlat(rows.length, focused !== undefined)
  const reveal = useReveal(rows, { box, list, stick })
  useImperativeHandle(handle, () => ({ reveal, toEnd: () => stick.toEnd() }), [reveal, stick])
  const draw = (row: ThreadRow) => <Row key={row.key} row={row} {...(actions ? { actions } : {})} />
  return (
    <div data-tw-part="thread">
      <div
        data-tw-part="thread-scroll"
        ref={box}
        role="log"
        aria-live="off"
        aria-label={words.thread}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions: hears of the focus of what is inside */}
        <div data-tw-part="thread-rows" data-flat={flat} ref={inner} onFocus={onFocus} onBlur={onBlur}>
          {rows.length === 0 && (empty ?? <p data-tw-part="empty">{t('session.empty')}</p>)}
          {flat ? rows.map(draw) : <LongList {...{ rows, focused, box, list, draw }} />}
        </div>
      </div>
      {!atEnd && (
        <button
          type="button"
          data-tw-part="to-end"
          aria-label={words.to_end}
          title={words.to_end}
          onClick={() => stick.toEnd()}
        >
          <Icon name="down" />
        </button>
      )}
    </div>
  )
}

interface LongListProps {
  readonly rows: readonly ThreadRow[]
  readonly focused: string | undefined
  readonly box: RefObject<HTMLDivElement | null>
  readonly list: RefObject<VirtualizerHandle | null>
  readonly draw: (row: ThreadRow) => ReactNode
}

function LongList({ rows, focused, box, list, draw }: LongListProps) {
  // Joined, so that equal lists are the same.
  const kept = useView(view => pinnedRows(view, rows, focused).join(' '))
  const keep = useMemo(() => (kept === '' ? [] : kept.split(' ').map(Number)), [kept])
  return (
    <Virtualizer ref={list} scrollRef={box} keepMounted={keep}>
      {rows.map(draw)}
    </Virtualizer>
  )
}

interface ThreadRowProps {
  readonly row: ThreadRow
  readonly actions?: (turn: TurnView) => ReactNode
}

const Row = memo(function Row({ row, actions }: ThreadRowProps) {
  return (
    <div data-tw-part="thread-row" data-row={row.key} data-turn-id={row.turn}>
      {row.type === 'end' ? (
        <TurnEnd id={row.id} {...(actions ? { actions } : {})} />
      ) : (
        <Message id={row.id} />
      )}
    </div>
  )
})

function useThreadRows(): readonly ThreadRow[] {
  const last = useRef<readonly ThreadRow[]>([])
  return useView(view => {
    last.current = threadRows(view, last.current)
    return last.current
  })
}

/** True if all rows are drawn. */
function useFlat(rows: number, focused: boolean): boolean {
  const waits = useView(view => view.pending.length > 0)
  const before = useRef(false)
  const flat = drawsAllRows(rows, { flat: before.current, held: waits || focused })
  useEffect(() => {
    before.current = flat && rows > 0
  }, [flat, rows])
  return flat
}

/** A session is shown from its end. */
function useStick() {
  const { session } = useSessionContext()
  const box = useRef<HTMLDivElement>(null)
  const inner = useRef<HTMLDivElement>(null)
  const [atEnd, setAtEnd] = useState(true)
  const [stick] = useState(() => new StickToEnd(setAtEnd))
  useEffect(
    () => (box.current && inner.current ? stick.attach(box.current, inner.current) : undefined),
    [stick],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: another session begins at its own end
  useEffect(() => stick.toEnd(), [stick, session])
  return { box, inner, stick, atEnd }
}

/** Key of the row that holds the focus. */
function useFocusedRow() {
  const [focused, setFocused] = useState<string | undefined>(undefined)
  const onFocus = useCallback((event: FocusEvent) => {
    setFocused(event.target.closest('[data-row]')?.getAttribute('data-row') ?? undefined)
  }, [])
  const onBlur = useCallback((event: FocusEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget)) setFocused(undefined)
  }, [])
  return { focused, onFocus, onBlur }
}

interface ThreadElements {
  readonly box: RefObject<HTMLDivElement | null>
  readonly list: RefObject<VirtualizerHandle | null>
  readonly stick: StickToEnd
}

function useReveal(rows: readonly ThreadRow[], { box, list, stick }: ThreadElements): ThreadHandle['reveal'] {
  const { session, disclosure } = useSessionContext()
  return useCallback(
    (call, { focus = false } = {}) => {
      const { view } = session.getSnapshot()
      const row = rowOfCall(view, rows, call)
      const frame = box.current
      if (row < 0 || !frame) return false
      for (const fold of foldsAbove(view, call)) disclosure.set(fold, true)
      stick.letGo()
      list.current?.scrollToIndex(row, { align: 'center' })
      showCard(() => cardIn(frame, call), focus)
      return true
    },
    [session, disclosure, rows, box, list, stick],
  )
}
