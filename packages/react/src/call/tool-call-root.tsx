/** The element of one call, and everything that its parts have to know. */
import { type CallView, describeCall } from '@toolwire/core/view'
import { useEffect, useId, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { contentOf, type PartContent } from '../shared/part-content.ts'
import { Body } from './tool-call-body.tsx'
import { ToolCallContext } from './tool-call-context.ts'
import { Header } from './tool-call-header.tsx'

export interface ToolCallRootProps {
  /** The id of the call; draws nothing while the log does not have it. */
  readonly id?: string
  /** In place of `id`: a call that you have. */
  readonly call?: CallView
  /** False for a second card of the same call on one page: the element's id, to which links lead, is left to the first. */
  readonly anchor?: boolean
  /** Header and body by default; a function gets the call. */
  readonly children?: PartContent<CallView>
}

/** Follows one call; other calls' changes do not draw it again. */
export function Root({ id = '', call: given, anchor = true, children }: ToolCallRootProps) {
  const call = useView(view => given ?? view.calls.get(id))
  return call ? (
    <Card call={call} anchor={anchor}>
      {children}
    </Card>
  ) : null
}

interface CardProps {
  readonly call: CallView
  readonly anchor: boolean
  readonly children: PartContent<CallView>
}

function Card({ call, anchor, children }: CardProps) {
  const { renderers } = useSessionContext()
  const cwd = useView(view => view.info.cwd)
  const picture = useMemo(() => describeCall(call, renderers, cwd), [call, renderers, cwd])
  const open = useOpen(call)
  const body = useId()
  const value = useMemo(() => ({ call, picture, open, body }), [call, picture, open, body])
  return (
    <ToolCallContext.Provider value={value}>
      <article
        data-tw-part="tool-call"
        data-state={call.state}
        data-tw-state={call.state}
        data-call-id={call.call_id}
        data-tool={call.name}
        data-kind={picture.kind}
        data-open={open}
        id={anchor ? `call-${call.id}` : undefined}
      >
        {contentOf(children, call, () => (
          <>
            <Header />
            <Body />
          </>
        ))}
      </article>
    </ToolCallContext.Provider>
  )
}

/** Time that a card stays open after its call has succeeded. */
const LINGER_MS = 600

/** A person's choice, else what the state asks for. */
function useOpen(call: CallView): boolean {
  const { disclosure } = useSessionContext()
  const get = () => disclosure.chosen(call.id)
  const chosen = useSyncExternalStore(disclosure.subscribe, get, get)
  const wanted = disclosure.byState(call.state)
  const lingers = useLingering(wanted)
  return chosen ?? (wanted || lingers)
}

/** True for a moment after `open` has become false, so that an end can be seen. */
function useLingering(open: boolean): boolean {
  const [lingers, setLingers] = useState(open)
  const was = useRef(open)
  useEffect(() => {
    if (open) {
      was.current = true
      setLingers(true)
      return
    }
    if (!was.current) return
    was.current = false
    const timer = setTimeout(() => setLingers(false), LINGER_MS)
    return () => clearTimeout(timer)
  }, [open])
  return lingers
}
