/** Runs the bridge against one frame: listens to it alone, and has the wishes of its page fulfilled. */
import { type RefObject, useCallback, useEffect, useRef } from 'react'
import { type BridgeEffect, type BridgeInput, type BridgeState, openBridge, stepBridge } from './bridge.ts'

type Other = Exclude<BridgeEffect, { readonly type: 'post' }>

/** How long a page that is told to leave may take. */
const LEAVE_MS = 500

export interface Bridge {
  readonly take: (input: BridgeInput) => void
  /** Tells the page to leave; `close` is wished for when it has, or when its time is up. */
  readonly leave: () => void
}

/** `host` counts as it was at first. The newest `fulfil` counts. The bridge ends with the component. */
export function useBridge(
  frame: RefObject<HTMLIFrameElement | null>,
  host: BridgeState['host'],
  fulfil: (wish: Other, take: Bridge['take']) => void,
): Bridge {
  const state = useRef<BridgeState>(undefined)
  state.current ??= openBridge(host)
  const latest = useRef(fulfil)
  latest.current = fulfil

  const take = useCallback(
    (input: BridgeInput) => {
      if (!state.current) return
      const [next, wishes] = stepBridge(state.current, input)
      state.current = next
      // The frame's origin is no name that could be given here; it is told nothing but what its own call holds.
      for (const wish of wishes)
        if (wish.type === 'post') frame.current?.contentWindow?.postMessage(wish.message, '*')
        else latest.current(wish, take)
    },
    [frame],
  )
  const leave = useCallback(() => {
    take({ type: 'leave' })
    setTimeout(() => take({ type: 'lost' }), LEAVE_MS)
  }, [take])
  useEffect(() => {
    const hear = (event: MessageEvent) => {
      const { contentWindow } = frame.current ?? {}
      if (!contentWindow || event.source !== contentWindow || event.origin !== 'null') return
      take({ type: 'heard', data: event.data })
    }
    window.addEventListener('message', hear)
    return () => {
      window.removeEventListener('message', hear)
      // What was under way for it, its time to leave included, is nobody's any more.
      if (state.current) state.current = { ...state.current, phase: 'over' }
    }
  }, [frame, take])
  return { take, leave }
}
