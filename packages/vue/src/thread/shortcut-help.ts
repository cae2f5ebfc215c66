/** The list of keys, over whatever is on the screen, when `?` is pressed. */
import { asksForKeys, partLabels, partShortcuts, type Shortcut } from '@toolwire/core/parts'
import { defineComponent, onMounted, onScopeDispose, shallowRef } from 'vue'
import { useSessionContext } from '../session/session-context.ts'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'

export interface ShortcutHelpProps {
  /** Keys of the page itself, after those of the parts. */
  readonly shortcuts?: readonly Shortcut[]
}

/** Listens while it is mounted. A `?` typed into a field stays text. */
export const ShortcutHelp = defineComponent(
  (props: ShortcutHelpProps) => {
    const { t } = useSessionContext()
    const dialog = shallowRef<HTMLDialogElement | null>(null)
    const onKey = (event: KeyboardEvent) => {
      if (!asksForKeys(event)) return
      event.preventDefault()
      dialog.value?.showModal()
    }
    let leave: (() => void) | undefined
    onMounted(() => {
      window.addEventListener('keydown', onKey)
      leave = () => window.removeEventListener('keydown', onKey)
    })
    onScopeDispose(() => leave?.())
    const onClick = () => dialog.value?.close()
    return () => {
      const words = partLabels(t.value)
      const close = {
        type: 'button',
        'data-tw-part': 'close',
        'aria-label': t.value('common.close'),
        onClick,
      }
      const shown = [...partShortcuts(words), ...(props.shortcuts ?? [])]
      return h('dialog', { ref: dialog, 'data-tw-part': 'shortcut-help', 'aria-label': words.keys }, [
        h('header', [h('strong', words.keys), h('button', close, [icon('close')])]),
        h(
          'dl',
          shown.map(({ keys, words: does }) =>
            h('div', { key: keys + does }, [h('dt', [h('kbd', keys)]), h('dd', does)]),
          ),
        ),
      ])
    }
  },
  { name: 'ShortcutHelp', props: ['shortcuts'] },
)
