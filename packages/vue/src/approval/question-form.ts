/** Several questions in one form. Nothing is sent before its button, or Ctrl or Cmd with Enter. */
import {
  type BlockAnswer,
  blockValues,
  chooseOption,
  NO_ANSWER,
  OTHER,
  type QuestionBlock,
  unanswered,
} from '@toolwire/core/parts'
import type { Translate } from '@toolwire/core/view'
import { defineComponent, shallowRef, useId, type VNode } from 'vue'
import { markedValue } from '../output/marked-value.ts'
import { useSessionContext } from '../session/session-context.ts'
import { h } from '../shared/h.ts'

export interface QuestionFormProps {
  readonly blocks: readonly QuestionBlock[]
  readonly busy: boolean
  readonly onSubmit: (answers: Readonly<Record<string, unknown>>) => void
}

export const QuestionForm = defineComponent(
  (props: QuestionFormProps) => {
    const { t } = useSessionContext()
    const answers = shallowRef<readonly BlockAnswer[]>(props.blocks.map(() => NO_ANSWER))
    const open = () => unanswered(props.blocks, answers.value)
    const ready = () => !props.busy && open().length < props.blocks.length
    const send = (event: Event) => {
      event.preventDefault()
      if (ready()) props.onSubmit(blockValues(props.blocks, answers.value))
    }
    const onKeydown = (event: KeyboardEvent) => {
      const { tagName } = event.target as Element
      if (event.key !== 'Enter' || tagName === 'BUTTON') return
      if (event.metaKey || event.ctrlKey) send(event)
      else if (tagName === 'INPUT') event.preventDefault()
    }
    const note = () => (ready() && open().length > 0 ? { names: open().join(' · ') } : undefined)
    return () => {
      const { blocks, busy, onSubmit } = props
      const skipped = note()
      return h('form', { 'data-tw-part': 'question-form', onSubmit: send, onKeydown }, [
        ...blocks.map((block, i) =>
          h(Block, {
            key: block.name,
            block,
            answer: answers.value[i] ?? NO_ANSWER,
            t: t.value,
            onChange: (answer: BlockAnswer) => {
              answers.value = answers.value.with(i, answer)
            },
          }),
        ),
        h(
          'p',
          { 'data-tw-part': 'question-note', role: 'status' },
          skipped ? t.value('question.skipped', skipped) : '',
        ),
        h('div', { 'data-tw-part': 'form-actions' }, [
          h(
            'button',
            { type: 'submit', 'data-tw-part': 'submit', disabled: !ready() },
            t.value(busy ? 'approval.sending' : 'question.send'),
          ),
          h(
            'button',
            {
              type: 'button',
              'data-tw-part': 'skip',
              disabled: busy,
              onClick: () => onSubmit(blockValues(blocks, [])),
            },
            t.value('question.skip'),
          ),
        ]),
      ])
    }
  },
  { name: 'QuestionForm', props: ['blocks', 'busy', 'onSubmit'] },
)

interface BlockProps {
  readonly block: QuestionBlock
  readonly answer: BlockAnswer
  readonly t: Translate
  readonly onChange: (answer: BlockAnswer) => void
}

const Block = defineComponent(
  (props: BlockProps) => {
    const id = useId()
    const option = (index: number, label: string, description: string): VNode =>
      h('label', { key: index, 'data-tw-part': 'option' }, [
        h('input', {
          type: props.block.many ? 'checkbox' : 'radio',
          name: id,
          checked: props.answer.chosen.includes(index),
          'aria-labelledby': `${id}-${index}`,
          'aria-describedby': description === '' ? undefined : `${id}-${index}-note`,
          onChange: () => props.onChange(chooseOption(props.block, props.answer, index)),
        }),
        h('span', { 'data-tw-part': 'option-label', id: `${id}-${index}` }, label),
        description === ''
          ? null
          : h('span', { 'data-tw-part': 'option-note', id: `${id}-${index}-note` }, description),
      ])
    return () => {
      const { block, answer, t, onChange } = props
      const { header, text, options, many } = block
      const hasText = options.length === 0 || answer.chosen.includes(OTHER)
      return h('fieldset', { 'data-tw-part': 'question-block' }, [
        h('legend', [
          header === '' ? null : h('span', { 'data-tw-part': 'question-header' }, `${header} `),
          h('span', { 'data-tw-part': 'question-text' }, text),
        ]),
        options.length === 0
          ? null
          : h('p', { 'data-tw-part': 'question-note' }, t(many ? 'question.any' : 'question.one')),
        ...options.map(({ label, description }, index) => option(index, label, description)),
        options.length === 0 ? null : option(OTHER, t('question.other'), ''),
        hasText
          ? h('textarea', {
              rows: 1,
              value: answer.text,
              'aria-label': `${t('question.answer')}: ${text}`,
              onInput: (event: Event) =>
                onChange({ ...answer, text: (event.target as HTMLTextAreaElement).value }),
            })
          : null,
        hasText ? markedValue(answer.text, t) : null,
      ])
    }
  },
  { name: 'QuestionBlock', props: ['block', 'answer', 't', 'onChange'] },
)
