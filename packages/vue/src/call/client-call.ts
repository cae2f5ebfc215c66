/** A call that a page has to run, or a form to fill in. It can be answered by hand when no page runs it. */
import { clientForm, type Schema } from '@toolwire/core/parts'
import type { CallView } from '@toolwire/core/view'
import { computed, defineComponent, shallowRef } from 'vue'
import { SchemaForm } from '../approval/schema-form.ts'
import { TextForm } from '../approval/text-form.ts'
import { alertText, useSending } from '../approval/use-sending.ts'
import { useSessionContext } from '../session/session-context.ts'
import { useAnswers } from '../session/use-session.ts'
import { h } from '../shared/h.ts'

export const ClientCall = defineComponent(
  (props: { readonly call: CallView }) => {
    const { t, onForm } = useSessionContext()
    const { giveOutput } = useAnswers()
    const { sending, error, run } = useSending()
    const byHand = shallowRef(false)
    const set = (on: boolean) => () => {
      byHand.value = on
    }
    const schema = computed(() => clientForm(props.call))
    const answer = (text: string) => giveOutput(props.call.call_id, text)
    const form = (of: Schema) =>
      h('section', { 'data-tw-part': 'client-call' }, [
        h(SchemaForm, {
          t: t.value,
          schema: of,
          plain: true,
          submit: t.value('approval.send'),
          busy: sending.value,
          onSubmit: (values: unknown) =>
            run(async () => {
              await onForm.value?.(props.call, values)
              await answer('submitted')
            }),
          onCancel: () => run(() => answer('cancelled')),
        }),
        h('p', { 'data-tw-part': 'note' }, t.value('form.private')),
        alertText(error.value),
      ])
    return () => {
      if (schema.value) return form(schema.value)
      return h('section', { 'data-tw-part': 'client-call' }, [
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
              onSubmit: (text: string) => run(() => answer(text)),
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
    }
  },
  { name: 'ClientCall', props: ['call'] },
)
