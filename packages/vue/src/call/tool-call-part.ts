/** Shared code of all parts of a call: the call around them, and a slot for other content. */
import type { CallView } from '@toolwire/core/view'
import { defineComponent, type VNodeArrayChildren } from 'vue'
import { type SessionContextValue, useSessionContext } from '../session/session-context.ts'
import { useElapsed } from '../session/use-session.ts'
import { h } from '../shared/h.ts'
import { type ToolCallContextValue, useToolCallContext } from './tool-call-context.ts'

/** Values that a part may read while it is drawn. */
export interface DrawnCall extends Pick<ToolCallContextValue, 'body'> {
  readonly call: CallView
  readonly picture: ToolCallContextValue['picture']['value']
  readonly open: boolean
  readonly session: SessionContextValue
  readonly t: SessionContextValue['t']['value']
}

interface Part {
  readonly tag: string
  /** `data-tw-part` and further attributes; undefined when nothing is drawn. */
  readonly attributes: (drawn: DrawnCall) => Record<string, unknown> | undefined
  /** Unless the page fills the default slot, which gets `call`. */
  readonly content: (drawn: DrawnCall) => VNodeArrayChildren | string
}

/** A part of a call. Its default slot, with `call`, replaces its own content. */
export const definePart = (name: string, { tag, attributes, content }: Part) =>
  defineComponent(
    (_props: Record<never, never>, { slots }) => {
      const drawn = useDrawnCall()
      return () => {
        const now = drawn()
        const given = attributes(now)
        if (!given) return null
        const shown = slots['default']?.({ call: now.call }) ?? content(now)
        return h(tag, { ...given, 'data-tw-state': now.call.state }, shown)
      }
    },
    { name },
  )

/** The call and what is around it, as they are when it is called. */
export function useDrawnCall(): () => DrawnCall {
  const session = useSessionContext()
  const { call, picture, open, body } = useToolCallContext()
  return () => ({
    call: call.value,
    picture: picture.value,
    open: open.value,
    body,
    session,
    t: session.t.value,
  })
}

/** Running or waiting time of the call around it. */
export function useOwnElapsed() {
  const { call } = useToolCallContext()
  return useElapsed(() => call.value)
}
