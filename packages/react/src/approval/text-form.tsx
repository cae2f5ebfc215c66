/** One field and two buttons. Enter sends a single line, Ctrl or Cmd with Enter a longer text. */
import { isComposing } from '@toolwire/core/parts'
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { MarkedValue } from '../output/marked-value.tsx'
import { useSessionContext } from '../session/session-context.ts'

export interface TextFormProps {
  readonly label: string
  readonly submit: string
  readonly busy: boolean
  readonly onSubmit: (text: string) => void
  readonly onCancel?: () => void
  readonly initial?: string
  readonly rows?: number
  readonly mono?: boolean
  readonly danger?: boolean
  /** Opened by a button, so the next key belongs to it. */
  readonly focus?: boolean
  /** May be left empty. */
  readonly optional?: boolean
  /** A problem with the text, in words. */
  readonly check?: (text: string) => string | undefined
  /** Further fields, below the text. */
  readonly children?: ReactNode
}

export function TextForm(props: TextFormProps) {
  const { t } = useSessionContext()
  const { label, rows = 1, busy, mono = false, danger = false, optional = false } = props
  const [text, setText] = useState(props.initial ?? '')
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (props.focus) area.current?.focus()
  }, [props.focus])
  const problem = props.check?.(text)
  const ready = !busy && problem === undefined && (optional || text.trim() !== '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (ready) props.onSubmit(text.trim())
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Escape' && props.onCancel) {
      event.preventDefault()
      props.onCancel()
    }
    if (event.key !== 'Enter' || isComposing(event.nativeEvent) || event.shiftKey) return
    if (rows === 1 || event.metaKey || event.ctrlKey) submit(event)
  }
  return (
    <form data-tw-part="form" data-danger={danger} onSubmit={submit}>
      <label htmlFor={id}>{label}</label>
      <textarea
        ref={area}
        id={id}
        rows={rows}
        value={text}
        data-mono={mono}
        aria-invalid={problem !== undefined}
        spellCheck={!mono}
        onChange={event => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <MarkedValue text={text} t={t} />
      {problem !== undefined && <p data-tw-part="error">{problem}</p>}
      {props.children}
      <div data-tw-part="form-actions">
        <button type="submit" data-tw-part="submit" disabled={!ready}>
          {busy ? t('approval.sending') : props.submit}
        </button>
        {props.onCancel && (
          <button type="button" data-tw-part="back" disabled={busy} onClick={props.onCancel}>
            {t('common.cancel')}
          </button>
        )}
      </div>
    </form>
  )
}
