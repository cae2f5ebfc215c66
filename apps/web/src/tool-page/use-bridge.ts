/** Runs the bridge against one frame: listens to it alone, and has the wishes of its page fulfilled. */
import { type RefObject, useCallback, useEffect, useRef } from 'react'
import { type BridgeEffect, type BridgeInput, type BridgeState, openBridge, stepBridge } from './bridge.ts'

type Other = Exclude<BridgeEffect, { readonly type: 'post' }>

/** Time that a closing page may take. */
const LEAVE_MS = 500

export interface Bridge {
  readonly take: (input: BridgeInput) => void
  /** Asks the page to close; the effect `close` follows when it has, or after the timeout. */
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
      // The frame's origin is opaque and cannot be named; it only receives data of its own call.
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
      // Its pending work, the close timer included, is dropped.
      if (state.current) state.current = { ...state.current, phase: 'over' }
    }
  }, [frame, take])
  return { take, leave }
}
