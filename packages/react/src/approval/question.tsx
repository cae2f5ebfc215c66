/**
 * A question of the model or of a tool: given choices as buttons, room for an own answer, a form to fill in, or a
 * page to open and come back from.
 */
import { choicesOf, questionBlocks } from '@toolwire/core/parts'
import type { ApprovalView } from '@toolwire/core/view'
import { useMemo } from 'react'
import { SafeLink } from '../output/safe-link.tsx'
import { useSessionContext } from '../session/session-context.ts'
import { useAnswers } from '../session/use-session.ts'
import { QuestionForm } from './question-form.tsx'
import { SchemaForm } from './schema-form.tsx'
import { TextForm } from './text-form.tsx'
import { useSending } from './use-sending.ts'

export function Question({ approval }: { readonly approval: ApprovalView }) {
  const { t } = useSessionContext()
  const { answer, approve, deny } = useAnswers()
  const { sending, error, run } = useSending()
  const blocks = useMemo(() => questionBlocks(approval), [approval])
  const choices = choicesOf(approval)
  const form = { submit: t('approval.send'), busy: sending }
  const refused = error && (
    <p data-tw-part="error" role="alert">
      {error}
    </p>
  )
  if (blocks)
    return (
      <section data-tw-part="question">
        <QuestionForm
          blocks={blocks}
          busy={sending}
          onSubmit={answers => run(() => answer(approval.id, answers))}
        />
        {refused}
      </section>
    )
  return (
    <section data-tw-part="question">
      {approval.message && <p data-tw-part="approval-message">{approval.message}</p>}
      {approval.url !== undefined && (
        <p data-tw-part="approval-message">
          <SafeLink href={approval.url}>{approval.url}</SafeLink>
        </p>
      )}
      {choices.length > 0 && (
        <div data-tw-part="choices">
          {choices.map(choice => (
            <button
              key={choice.label}
              type="button"
              disabled={sending}
              onClick={() => run(() => answer(approval.id, choice.value))}
            >
              {choice.label}
              {choice.description !== '' && <small>{choice.description}</small>}
            </button>
          ))}
        </div>
      )}
      {approval.url === undefined &&
        (approval.schema ? (
          <SchemaForm
            {...form}
            t={t}
            schema={approval.schema}
            onSubmit={input => run(() => answer(approval.id, input))}
          />
        ) : (
          <TextForm
            {...form}
            label={t('question.answer')}
            onSubmit={text => run(() => answer(approval.id, text))}
          />
        ))}
      {(approval.url ?? approval.schema) !== undefined && (
        <div data-tw-part="approval-actions" data-sending={sending}>
          {approval.url !== undefined && (
            <button
              type="button"
              data-tw-part="allow-once"
              disabled={sending}
              onClick={() => run(() => approve(approval.id))}
            >
              {t('approval.allow_once')}
            </button>
          )}
          <button
            type="button"
            data-tw-part="deny"
            disabled={sending}
            onClick={() => run(() => deny(approval.id))}
          >
            {t('approval.deny')}
          </button>
        </div>
      )}
      {refused}
    </section>
  )
}
