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
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react'
import { MarkedValue } from '../output/marked-value.tsx'
import { useSessionContext } from '../session/session-context.ts'

export interface QuestionFormProps {
  readonly blocks: readonly QuestionBlock[]
  readonly busy: boolean
  readonly onSubmit: (answers: Readonly<Record<string, unknown>>) => void
}

export function QuestionForm({ blocks, busy, onSubmit }: QuestionFormProps) {
  const { t } = useSessionContext()
  const [answers, setAnswers] = useState<readonly BlockAnswer[]>(() => blocks.map(() => NO_ANSWER))
  const open = unanswered(blocks, answers)
  const ready = !busy && open.length < blocks.length
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (ready) onSubmit(blockValues(blocks, answers))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { tagName } = event.target as Element
    if (event.key !== 'Enter' || tagName === 'BUTTON') return
    if (event.metaKey || event.ctrlKey) send(event)
    else if (tagName === 'INPUT') event.preventDefault()
  }
  return (
    <form data-tw-part="question-form" onSubmit={send} onKeyDown={onKeyDown}>
      {blocks.map((block, i) => (
        <Block
          key={block.name}
          block={block}
          answer={answers[i] ?? NO_ANSWER}
          onChange={answer => setAnswers(answers.with(i, answer))}
        />
      ))}
      <p data-tw-part="question-note" role="status">
        {ready && open.length > 0 ? t('question.skipped', { names: open.join(' · ') }) : ''}
      </p>
      <div data-tw-part="form-actions">
        <button type="submit" data-tw-part="submit" disabled={!ready}>
          {busy ? t('approval.sending') : t('question.send')}
        </button>
        <button
          type="button"
          data-tw-part="skip"
          disabled={busy}
          onClick={() => onSubmit(blockValues(blocks, []))}
        >
          {t('question.skip')}
        </button>
      </div>
    </form>
  )
}

interface BlockProps {
  readonly block: QuestionBlock
  readonly answer: BlockAnswer
  readonly onChange: (answer: BlockAnswer) => void
}

function Block({ block, answer, onChange }: BlockProps) {
  const { t } = useSessionContext()
  const id = useId()
  const { header, text, options, many } = block
  const option = (index: number, label: string, description: string) => (
    <label key={index} data-tw-part="option">
      <input
        type={many ? 'checkbox' : 'radio'}
        name={id}
        checked={answer.chosen.includes(index)}
        aria-labelledby={`${id}-${index}`}
        aria-describedby={description === '' ? undefined : `${id}-${index}-note`}
        onChange={() => onChange(chooseOption(block, answer, index))}
      />
      <span data-tw-part="option-label" id={`${id}-${index}`}>
        {label}
      </span>
      {description !== '' && (
        <span data-tw-part="option-note" id={`${id}-${index}-note`}>
          {description}
        </span>
      )}
    </label>
  )
  return (
    <fieldset data-tw-part="question-block">
      <legend>
        {header !== '' && <span data-tw-part="question-header">{header} </span>}
        <span data-tw-part="question-text">{text}</span>
      </legend>
      {options.length > 0 && <p data-tw-part="question-note">{t(many ? 'question.any' : 'question.one')}</p>}
      {options.map(({ label, description }, index) => option(index, label, description))}
      {options.length > 0 && option(OTHER, t('question.other'), '')}
      {(options.length === 0 || answer.chosen.includes(OTHER)) && (
        <>
          <textarea
            rows={1}
            value={answer.text}
            aria-label={`${t('question.answer')}: ${text}`}
            onChange={event => onChange({ ...answer, text: event.target.value })}
          />
          <MarkedValue text={answer.text} t={t} />
        </>
      )}
    </fieldset>
  )
}
