/** The element of one call, and everything that its parts have to know. */
import { type CallView, describeCall } from '@toolwire/core/view'
import { computed, defineComponent, onScopeDispose, provide, shallowRef, useId, watch } from 'vue'
import { type SessionContextValue, useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { h } from '../shared/h.ts'
import { Body } from './tool-call-body.ts'
import { TOOL_CALL } from './tool-call-context.ts'
import { Header } from './tool-call-header.ts'

export interface ToolCallRootProps {
  /** The id of the call; draws nothing while the log does not have it. */
  readonly id?: string
  /** In place of `id`: a call that you have. */
  readonly call?: CallView
  /** False for a second card of the same call on one page: the element's id, to which links lead, is left to the first. */
  readonly anchor?: boolean
}

/** Follows one call; other calls' changes do not draw it again. The default slot, with `call`, takes the place of header and body. */
export const Root = defineComponent(
  (props: ToolCallRootProps, { slots }) => {
    const call = useView(view => props.call ?? view.calls.get(props.id ?? ''))
    return () => (call.value ? h(Card, { call: call.value, anchor: props.anchor !== false }, slots) : null)
  },
  { name: 'ToolCallRoot', props: ['id', 'call', 'anchor'] },
)

const Card = defineComponent(
  (props: { readonly call: CallView; readonly anchor: boolean }, { slots }) => {
    const context = useSessionContext()
    const call = computed(() => props.call)
    const cwd = useView(view => view.info.cwd)
    const picture = computed(() => describeCall(props.call, context.renderers.value, cwd.value))
    const open = useOpen(context, () => props.call)
    const body = useId()
    provide(TOOL_CALL, { call, picture, open, body })
    return () => {
      const { id, state, call_id, name } = props.call
      return h(
        'article',
        {
          'data-tw-part': 'tool-call',
          'data-state': state,
          'data-tw-state': state,
          'data-call-id': call_id,
          'data-tool': name,
          'data-kind': picture.value.kind,
          'data-open': open.value,
          id: props.anchor ? `call-${id}` : undefined,
        },
        slots['default']?.({ call: props.call }) ?? [h(Header), h(Body)],
      )
    }
  },
  { name: 'Card', props: ['call', 'anchor'] },
)

/** Time that a card stays open after its call has succeeded. */
const LINGER_MS = 600

/** A person's choice, else what the state asks for, and a moment longer so that an end can be seen. */
function useOpen({ disclosure }: SessionContextValue, call: () => CallView) {
  const wanted = computed(() => disclosure.value.byState(call().state))
  const lingers = shallowRef(wanted.value)
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(wanted, open => {
    clearTimeout(timer)
    if (open) lingers.value = true
    else
      timer = setTimeout(() => {
        lingers.value = false
      }, LINGER_MS)
  })
  onScopeDispose(() => clearTimeout(timer))
  return computed(() => disclosure.value.chosen(call().id) ?? (wanted.value || lingers.value))
}
