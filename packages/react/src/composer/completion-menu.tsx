/** Suggestions above the message field. The keyboard stays in the field. */
import {
  type Complete,
  type CompletedText,
  Completer,
  type CompletionList,
  type ComposerLabels,
} from '@toolwire/core/parts'
import { type KeyboardEvent, type RefObject, useEffect, useId, useMemo, useRef } from 'react'
import { useStore } from '../shared/use-store.ts'

interface CompletionField {
  readonly area: RefObject<HTMLTextAreaElement | null>
  readonly setText: (text: string) => void
}

export interface FieldCompletion {
  readonly id: string
  readonly list: CompletionList
  readonly update: (area: HTMLTextAreaElement) => void
  readonly takeKey: (event: KeyboardEvent) => boolean
  readonly choose: (index: number) => void
  readonly close: () => void
  readonly isOffered: boolean
}

export function useCompletion(
  complete: Complete | undefined,
  { area, setText }: CompletionField,
): FieldCompletion {
  const latest = useRef(complete)
  latest.current = complete
  const completer = useMemo(
    () => new Completer(async (request, signal) => (await latest.current?.(request, signal)) ?? []),
    [],
  )
  useEffect(() => completer.close, [completer])
  const apply = ({ text, caret }: CompletedText) => {
    setText(text)
    const field = area.current
    if (!field) return
    // The caret is set when the field has the text.
    requestAnimationFrame(() => {
      field.focus()
      field.setSelectionRange(caret, caret)
      completer.update(text, caret)
    })
  }
  return {
    id: useId(),
    list: useStore(completer),
    isOffered: complete !== undefined,
    update: field => {
      if (complete && field.selectionStart === field.selectionEnd)
        completer.update(field.value, field.selectionStart)
    },
    takeKey: event => {
      if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return false
      const isTaken = completer.takeKey(event.key, apply)
      if (isTaken) event.preventDefault()
      return isTaken
    },
    choose: index => {
      const chosen = completer.choose(index)
      if (chosen) apply(chosen)
    },
    close: completer.close,
  }
}

const itemId = (id: string, index: number): string => `${id}-${index}`

/** Attributes by which assistive technology finds the highlighted suggestion. */
export function completionFieldProps({ id, list, isOffered }: FieldCompletion) {
  if (!isOffered) return {}
  const open = list.items.length > 0
  return {
    'aria-autocomplete': 'list',
    ...(open ? { 'aria-controls': id, 'aria-activedescendant': itemId(id, list.index) } : {}),
  } as const
}

interface CompletionMenuProps {
  readonly completion: FieldCompletion
  readonly labels: ComposerLabels
}

export function CompletionMenu({ completion, labels }: CompletionMenuProps) {
  const { id, list, choose } = completion
  if (list.items.length === 0) return null
  return (
    <div data-tw-part="completions" role="listbox" id={id} aria-label={labels.suggestions}>
      {list.items.map((item, index) => (
        <div
          key={item.value}
          role="option"
          tabIndex={-1}
          id={itemId(id, index)}
          data-tw-part="completion"
          aria-selected={index === list.index}
          ref={index === list.index ? scrollIntoView : undefined}
          // The field keeps the focus.
          onMouseDown={event => event.preventDefault()}
          onClick={() => choose(index)}
          onKeyDown={undefined}
        >
          <span data-tw-part="completion-label">{item.label}</span>
          {item.note !== undefined && <span data-tw-part="completion-note">{item.note}</span>}
        </div>
      ))}
    </div>
  )
}

const scrollIntoView = (row: HTMLElement | null): void => row?.scrollIntoView?.({ block: 'nearest' })
