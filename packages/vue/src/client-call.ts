/** A call that some page has to run. Whoever watches can answer it by hand when no page does. */
import type { CallView } from '@toolwire/core/view'
import { defineComponent, h, shallowRef } from 'vue'
import { useSessionContext } from './session-context.ts'
import { TextForm } from './text-form.ts'
import { alertText, useSending } from './use-sending.ts'
import { useAnswers } from './use-session.ts'

export const ClientCall = defineComponent(
  (props: { readonly call: CallView }) => {
    const { t } = useSessionContext()
    const { giveOutput } = useAnswers()
    const { sending, error, run } = useSending()
    const byHand = shallowRef(false)
    const set = (on: boolean) => () => {
      byHand.value = on
    }
    return () =>
      h('section', { 'data-tw-part': 'client-call' }, [
        h('p', { 'data-tw-part': 'approval-message' }, t.value('client.title', { name: props.call.name })),
        byHand.value
          ? h(TextForm, {
              label: t.value('call.output'),
              rows: 3,
              mono: true,
              focus: true,
              submit: t.value('approval.send'),
              busy: sending.value,
              onCancel: set(false),
              onSubmit: (text: string) => run(() => giveOutput(props.call.call_id, text)),
            })
          : h('div', { 'data-tw-part': 'approval-actions' }, [
              h(
                'button',
                { type: 'button', 'data-tw-part': 'answer', onClick: set(true) },
                t.value('approval.answer'),
              ),
            ]),
        alertText(error.value),
      ])
  },
  { name: 'ClientCall', props: ['call'] },
)
