/** Suggestions above the message field. The keyboard stays in the field. */
import {
  type Complete,
  type CompletedText,
  Completer,
  type CompletionList,
  type ComposerLabels,
} from '@toolwire/core/parts'
import { defineComponent, nextTick, onScopeDispose, type Ref, useId, type VNode } from 'vue'
import { h } from '../shared/h.ts'
import { useStore } from '../shared/use-store.ts'

interface CompletionField {
  readonly area: Readonly<Ref<HTMLTextAreaElement | null>>
  readonly text: Ref<string>
}

export interface FieldCompletion {
  readonly id: string
  readonly list: Readonly<Ref<CompletionList | undefined>>
  readonly update: (area: HTMLTextAreaElement) => void
  readonly takeKey: (event: KeyboardEvent) => boolean
  readonly choose: (index: number) => void
  readonly close: () => void
  readonly isOffered: () => boolean
}

export function useCompletion(
  complete: () => Complete | undefined,
  { area, text }: CompletionField,
): FieldCompletion {
  const completer = new Completer(async (request, signal) => (await complete()?.(request, signal)) ?? [])
  onScopeDispose(completer.close)
  const apply = (done: CompletedText) => {
    text.value = done.text
    void nextTick(() => {
      area.value?.focus()
      area.value?.setSelectionRange(done.caret, done.caret)
      completer.update(done.text, done.caret)
    })
  }
  return {
    id: useId(),
    list: useStore(() => completer),
    isOffered: () => complete() !== undefined,
    update: field => {
      if (complete() && field.selectionStart === field.selectionEnd)
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
  if (!isOffered()) return {}
  const { items = [], index = 0 } = list.value ?? {}
  return {
    'aria-autocomplete': 'list' as const,
    ...(items.length > 0 ? { 'aria-controls': id, 'aria-activedescendant': itemId(id, index) } : {}),
  }
}

interface CompletionMenuProps {
  readonly completion: FieldCompletion
  readonly labels: ComposerLabels
}

export const CompletionMenu = defineComponent(
  (props: CompletionMenuProps) => () => {
    const { id, list, choose } = props.completion
    const { items = [], index: current = 0 } = list.value ?? {}
    if (items.length === 0) return null
    return h(
      'div',
      { 'data-tw-part': 'completions', role: 'listbox', id, 'aria-label': props.labels.suggestions },
      items.map((item, index) =>
        h(
          'div',
          {
            key: item.value,
            role: 'option',
            tabindex: -1,
            id: itemId(id, index),
            'data-tw-part': 'completion',
            'aria-selected': index === current,
            onVnodeUpdated: ({ el }: VNode) => {
              if (index === current) (el as HTMLElement).scrollIntoView?.({ block: 'nearest' })
            },
            // The field keeps the focus.
            onMousedown: (event: Event) => event.preventDefault(),
            onClick: () => choose(index),
          },
          [
            h('span', { 'data-tw-part': 'completion-label' }, item.label),
            item.note === undefined ? null : h('span', { 'data-tw-part': 'completion-note' }, item.note),
          ],
        ),
      ),
    )
  },
  { name: 'CompletionMenu', props: ['completion', 'labels'] },
)
