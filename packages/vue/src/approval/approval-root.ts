/** The element of one question whether a call may run, and everything that its parts have to know. */
import type { ApprovalView, CallView } from '@toolwire/core/view'
import { computed, defineComponent, inject, provide, shallowRef } from 'vue'
import { TOOL_CALL } from '../call/tool-call-context.ts'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { h } from '../shared/h.ts'
import { APPROVAL, type ApprovalMode } from './approval-context.ts'
import { useAsked } from './use-asked.ts'
import { useSending } from './use-sending.ts'

export interface ApprovalRootProps {
  /** Id of the call; not needed below a `ToolCall.Root`. */
  readonly id?: string
  /** In place of `id`: a call that you have. */
  readonly call?: CallView
  /** The call's own question by default. */
  readonly approval?: ApprovalView
}

/** Draws nothing while the call asks nothing. */
export const Root = defineComponent(
  (props: ApprovalRootProps, { slots }) => {
    const around = inject(TOOL_CALL, undefined)
    const found = useView(view => props.call ?? view.calls.get(props.id ?? '') ?? around?.call.value)
    return () => {
      const call = found.value
      const asked = props.approval ?? (call?.state === 'awaiting_approval' ? call.approval : undefined)
      return call && asked ? h(Asked, { key: asked.id, call, approval: asked }, slots) : null
    }
  },
  { name: 'ApprovalRoot', props: ['id', 'call', 'approval'] },
)

const Asked = defineComponent(
  (props: { readonly call: CallView; readonly approval: ApprovalView }, { slots }) => {
    const { t } = useSessionContext()
    const { sending, error, run } = useSending()
    const mode = shallowRef<ApprovalMode>('choose')
    const state = computed(() => (sending.value ? 'sending' : mode.value))
    provide(APPROVAL, {
      call: computed(() => props.call),
      approval: computed(() => props.approval),
      mode,
      go(next) {
        mode.value = next
      },
      sending,
      error,
      run,
      state,
      asked: useAsked(() => props.call),
    })
    return () =>
      h(
        'section',
        {
          'data-tw-part': 'approval',
          'data-tw-state': state.value,
          'aria-label': t.value('approval.title', { name: props.call.name }),
        },
        slots['default']?.(),
      )
  },
  { name: 'Asked', props: ['call', 'approval'] },
)
