/** A text with files that is sent once at a time and kept when that fails. */
import { type Attachment, type Attachments, readDraft, storeDraft, toContent } from '@toolwire/core/parts'
import { type RefObject, useEffect, useState } from 'react'
import type { MessageBoxProps, SendMode } from './message-box-props.ts'

interface DraftParts {
  readonly area: RefObject<HTMLTextAreaElement | null>
  readonly store: Attachments | undefined
  readonly files: readonly Attachment[]
}

export function useDraft(props: MessageBoxProps, { area, store, files }: DraftParts) {
  const { draft, draftKey, isConnected, autoFocus } = props
  const [text, setText] = useState(() => readDraft(draftKey))
  useEffect(() => storeDraft(draftKey, text), [draftKey, text])
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  useEffect(() => {
    if (autoFocus) area.current?.focus()
  }, [autoFocus, area])
  useEffect(() => {
    if (isConnected) setError('')
  }, [isConnected])
  useEffect(() => {
    if (!draft) return
    setText(typed => (typed === '' ? draft.text : `${typed}\n${draft.text}`))
    area.current?.focus()
  }, [draft, area])
  const isWritten = text.trim() !== '' || files.length > 0
  const ready = !busy && isWritten && files.every(({ state }) => state === 'ready')
  const send = (mode: SendMode) => {
    if (!ready) return
    setBusy(true)
    setError('')
    const written = text.trim()
    props.onSend(written, toContent(written, store?.parts() ?? []), mode).then(
      () => {
        // The page may be gone by now, and with it the effect that stores the text.
        if (readDraft(draftKey) === text) storeDraft(draftKey, '')
        store?.clear()
        setBusy(false)
        // Text that was typed meanwhile stays.
        setText(typed => (typed === text ? '' : typed))
      },
      (thrown: unknown) => {
        setBusy(false)
        setError(thrown instanceof Error ? thrown.message : String(thrown))
      },
    )
  }
  return { text, setText, busy, error, ready, send }
}
