/**
 * The conversation as a list of rows, of which only those in sight exist once there are many.
 * It stays at the end as long as the reader is there.
 */
import type { SessionView, TurnView } from '@toolwire/core/view'
import { Icon, Message, TurnEnd, useSessionContext, useView } from '@toolwire/react'
import { type ReactNode, useCallback, useEffect, useRef } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { AppIcon } from './app-icon.tsx'
import { client } from './client.ts'
import { setRevealer } from './reveal-call.ts'
import { navigate, sessionPath } from './router.ts'
import { useWords } from './strings/use-words.ts'
import { useStickToEnd } from './use-stick-to-end.ts'

/** Below this, every row is drawn. */
const FLAT = 60

export function Thread() {
  const { a } = useWords()
  const rows = useRows()
  const { scroller, content, atEnd, toEnd, letGo } = useStickToEnd()
  const actions = useActions()
  const list = useRef<VirtualizerHandle>(null)
  const rowOf = useRowOf(rows)
  useEffect(
    () =>
      setRevealer(call => {
        letGo()
        list.current?.scrollToIndex(rowOf(call), { align: 'center' })
      }),
    [rowOf, letGo],
  )
  const drawn = rows.map(row => (
    <div key={row} className="row" data-row={row.slice(0, 3)}>
      <Row row={row} actions={actions} />
    </div>
  ))
  return (
    <div className="thread-frame">
      <div
        className="thread"
        ref={scroller}
        role="log"
        aria-live="off"
        aria-label={a('chat.log')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
      >
        <div className="thread-rows" ref={content}>
          {rows.length > FLAT ? (
            <Virtualizer ref={list} scrollRef={scroller}>
              {drawn}
            </Virtualizer>
          ) : (
            drawn
          )}
        </div>
      </div>
      {!atEnd && (
        <button
          type="button"
          className="to-end"
          aria-label={a('chat.latest')}
          title={a('chat.latest')}
          onClick={toEnd}
        >
          <AppIcon name="down" />
        </button>
      )}
    </div>
  )
}

interface RowProps {
  readonly row: string
  readonly actions: (turn: TurnView) => ReactNode
}

function Row({ row, actions }: RowProps) {
  const id = row.slice(4)
  return row.startsWith('end:') ? <TurnEnd id={id} actions={actions} /> : <Message id={id} />
}

/** `msg:<message>` and `end:<turn>`, in order; the same list until one is added. */
function useRows(): readonly string[] {
  const last = useRef<{ readonly joined: string; readonly rows: readonly string[] }>({ joined: '', rows: [] })
  return useView(view => {
    const joined = toRows(view)
    if (joined !== last.current.joined)
      last.current = { joined, rows: joined === '' ? [] : joined.split('\n') }
    return last.current.rows
  })
}

/** The row that holds a call's card: a call of an agent stands in the row of the call that started the agent. */
function useRowOf(rows: readonly string[]): (call: string) => number {
  const { session } = useSessionContext()
  return useCallback(
    call => {
      const { view } = session.getSnapshot()
      let found = view.calls.get(call)
      while (found?.agent !== undefined)
        found = view.calls.get(view.agents.get(found.agent)?.parent_call ?? '')
      return rows.indexOf(`msg:${found?.message ?? ''}`)
    },
    [session, rows],
  )
}

function toRows(view: SessionView): string {
  const turns = view.turns.flatMap(turn => [...turn.messages.map(id => `msg:${id}`), `end:${turn.id}`])
  return [...turns, ...view.queue.map(message => `msg:${message.id}`)].join('\n')
}

/** Asking a failed exchange again; forking: a new session with everything up to the exchange's end. */
function useActions(): (turn: TurnView) => ReactNode {
  const { session } = useSessionContext()
  const { a } = useWords()
  return useCallback(
    (turn: TurnView) => {
      const fork = async () => {
        const { view } = session.getSnapshot()
        const next = view.turns[view.turns.indexOf(turn) + 1]
        const cut = view.messages.get(next?.messages[0] ?? '')?.seq
        const made = await client.sessions.fork(session.id, cut === undefined ? {} : { at: cut - 1 })
        navigate(sessionPath(made.id))
      }
      const again = async () => {
        const asked = session.getSnapshot().view.messages.get(turn.messages[0] ?? '')
        if (asked) await session.send(asked.content)
      }
      return (
        <>
          {turn.state === 'failed' && (
            <button type="button" data-tw-part="quiet-button" onClick={() => void again().catch(() => {})}>
              <Icon name="send" />
              <span>{a('session.retry')}</span>
            </button>
          )}
          <button type="button" data-tw-part="quiet-button" onClick={() => void fork().catch(() => {})}>
            <Icon name="fork" />
            <span>{a('session.fork')}</span>
          </button>
        </>
      )
    },
    [session, a],
  )
}
