/**
 * A question of the model or of a tool: given choices as buttons, room for an own answer, a form to fill in, or a
 * page to open and come back from.
 */
import { choicesOf, questionBlocks } from '@toolwire/core/parts'
import type { ApprovalView } from '@toolwire/core/view'
import { computed, defineComponent } from 'vue'
import { SafeLink } from '../output/safe-link.ts'
import { useSessionContext } from '../session/session-context.ts'
import { useAnswers } from '../session/use-session.ts'
import { h } from '../shared/h.ts'
import { QuestionForm } from './question-form.ts'
import { SchemaForm } from './schema-form.ts'
import { TextForm } from './text-form.ts'
import { alertText, useSending } from './use-sending.ts'

export const Question = defineComponent(
  (props: { readonly approval: ApprovalView }) => {
    const { t } = useSessionContext()
    const { answer, approve, deny } = useAnswers()
    const { sending, error, run } = useSending()
    const blocks = computed(() => questionBlocks(props.approval))
    const give = (value: unknown) => run(() => answer(props.approval.id, value))
    const button = (part: string, words: string, onClick: () => void) =>
      h('button', { type: 'button', 'data-tw-part': part, disabled: sending.value, onClick }, words)
    const actions = ({ id, url }: ApprovalView) =>
      h('div', { 'data-tw-part': 'approval-actions', 'data-sending': sending.value }, [
        url === undefined
          ? null
          : button('allow-once', t.value('approval.allow_once'), () => run(() => approve(id))),
        button('deny', t.value('approval.deny'), () => run(() => deny(id))),
      ])
    const form = ({ schema }: ApprovalView) => {
      const shared = { submit: t.value('approval.send'), busy: sending.value, onSubmit: give }
      return schema
        ? h(SchemaForm, { ...shared, t: t.value, schema })
        : h(TextForm, { ...shared, label: t.value('question.answer') })
    }
    return () => {
      const { approval } = props
      const { url } = approval
      const choices = choicesOf(approval)
      if (blocks.value)
        return h('section', { 'data-tw-part': 'question' }, [
          h(QuestionForm, { blocks: blocks.value, busy: sending.value, onSubmit: give }),
          alertText(error.value),
        ])
      return h('section', { 'data-tw-part': 'question' }, [
        approval.message ? h('p', { 'data-tw-part': 'approval-message' }, approval.message) : null,
        url === undefined
          ? null
          : h('p', { 'data-tw-part': 'approval-message' }, [h(SafeLink, { href: url, label: url })]),
        choices.length === 0
          ? null
          : h(
              'div',
              { 'data-tw-part': 'choices' },
              choices.map(({ label, description, value }) =>
                h(
                  'button',
                  { key: label, type: 'button', disabled: sending.value, onClick: () => give(value) },
                  [label, description === '' ? null : h('small', description)],
                ),
              ),
            ),
        url === undefined ? form(approval) : null,
        (url ?? approval.schema) === undefined ? null : actions(approval),
        alertText(error.value),
      ])
    }
  },
  { name: 'Question', props: ['approval'] },
)
