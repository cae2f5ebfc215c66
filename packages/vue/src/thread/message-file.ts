/** A file of a message that is no image. */
import { composerLabels, fileFacts } from '@toolwire/core/parts'
import { formatBytes } from '@toolwire/core/view'
import { defineComponent } from 'vue'
import { useSessionContext } from '../session/session-context.ts'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'

export const MessageFile = defineComponent(
  (props: { readonly part: Parameters<typeof fileFacts>[0] }) => {
    const { t } = useSessionContext()
    return () => {
      const { name, bytes, problem } = fileFacts(props.part)
      return h('span', { 'data-tw-part': 'message-file', title: problem }, [
        icon('file'),
        h('span', { 'data-tw-part': 'attachment-name' }, name),
        bytes === undefined
          ? null
          : h('span', { 'data-tw-part': 'attachment-size' }, formatBytes(bytes, t.value.locale)),
        problem === undefined
          ? null
          : h('span', { 'data-tw-part': 'attachment-note' }, composerLabels(t.value).not_shown),
      ])
    }
  },
  { name: 'MessageFile', props: ['part'] },
)
