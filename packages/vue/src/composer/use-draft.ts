/** A text with files that is sent once at a time and kept when that fails. */
import { type Attachment, type Attachments, readDraft, storeDraft, toContent } from '@toolwire/core/parts'
import { onMounted, type Ref, shallowRef, watch } from 'vue'
import type { MessageBoxProps, SendMode } from './message-box-props.ts'

interface DraftParts {
  readonly area: Readonly<Ref<HTMLTextAreaElement | null>>
  readonly store: Readonly<Ref<Attachments | undefined>>
  readonly files: Readonly<Ref<readonly Attachment[] | undefined>>
}

export function useDraft(props: MessageBoxProps, { area, store, files }: DraftParts) {
  const text = shallowRef(readDraft(props.draftKey))
  watch(text, typed => storeDraft(props.draftKey, typed))
  const busy = shallowRef(false)
  const error = shallowRef('')
  onMounted(() => props.autoFocus && area.value?.focus())
  watch(
    () => props.isConnected,
    isConnected => {
      if (isConnected) error.value = ''
    },
  )
  watch(
    () => props.draft,
    draft => {
      if (!draft) return
      text.value = text.value === '' ? draft.text : `${text.value}\n${draft.text}`
      area.value?.focus()
    },
    { immediate: true },
  )
  const ready = () => {
    const all = files.value ?? []
    const isWritten = text.value.trim() !== '' || all.length > 0
    return !busy.value && isWritten && all.every(({ state }) => state === 'ready')
  }
  const send = (mode: SendMode): void => {
    if (!ready()) return
    busy.value = true
    error.value = ''
    const typed = text.value
    const written = typed.trim()
    props.onSend(written, toContent(written, store.value?.parts() ?? []), mode).then(
      () => {
        // The page may be gone by now, and with it the watcher that stores the text.
        if (readDraft(props.draftKey) === typed) storeDraft(props.draftKey, '')
        store.value?.clear()
        busy.value = false
        // Text that was typed meanwhile stays.
        if (text.value === typed) text.value = ''
      },
      (thrown: unknown) => {
        busy.value = false
        error.value = thrown instanceof Error ? thrown.message : String(thrown)
      },
    )
  }
  return { text, busy, error, ready, send }
}
