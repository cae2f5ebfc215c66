/** One message: what a person sent, or the assistant's blocks in order. */
import { answerText, composerLabels, fileFacts, isEditable, sourceAddress } from '@toolwire/core/parts'
import { type BlockView, blocksOf, groupBlocks, type MessageView, textOf } from '@toolwire/core/view'
import { computed, defineComponent, shallowRef, type VNode } from 'vue'
import { ToolCall } from '../call/tool-call.ts'
import { ToolGroup } from '../call/tool-group.ts'
import { GatedImage } from '../output/image-view.ts'
import { type SessionContextValue, useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { CopyButton } from '../shared/copy-button.ts'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'
import { BranchPager } from '../versions/branch-pager.ts'
import { MessageEditor } from '../versions/message-editor.ts'
import { MessageFile } from './message-file.ts'
import { TextBlock, ThinkingBlock } from './text-block.ts'

/** Follows one message; draws nothing while the log does not know it. */
export const Message = defineComponent(
  (props: { readonly id: string }) => {
    const message = useView(
      view => view.messages.get(props.id) ?? view.queue.find(item => item.id === props.id),
    )
    return () => {
      if (!message.value) return null
      return h(message.value.role === 'assistant' ? Answer : Asked, { message: message.value })
    }
  },
  { name: 'Message', props: ['id'] },
)

const Asked = defineComponent(
  (props: { readonly message: MessageView }) => {
    const { commands, t } = useSessionContext()
    const isEditing = shallowRef(false)
    const setEditing = (value: boolean) => {
      isEditing.value = value
    }
    const editButton = () =>
      h('button', { type: 'button', 'data-tw-part': 'edit-message', onClick: () => setEditing(true) }, [
        icon('pencil'),
        h('span', composerLabels(t.value).edit),
      ])
    const shown = (message: MessageView) => {
      const text = textOf(message.content)
      const canEdit = commands.value.edit !== undefined && isEditable(message)
      return [
        askedContent(message, text),
        text === '' ? null : h(CopyButton, { text }),
        canEdit ? editButton() : null,
        h(BranchPager, { message: message.id }),
      ]
    }
    return () => {
      const { message } = props
      return h(
        'article',
        {
          'data-tw-part': 'message',
          'data-role': message.role,
          'data-state': message.state,
          'data-tw-state': message.state,
        },
        [
          h('h3', { 'data-tw-part': 'author' }, t.value(`message.${message.role}`)),
          ...(isEditing.value
            ? [h(MessageEditor, { message, onClose: () => setEditing(false) })]
            : shown(message)),
          message.state === 'queued' ? h('p', { 'data-tw-part': 'note' }, t.value('message.queued')) : null,
        ],
      )
    }
  },
  { name: 'Asked', props: ['message'] },
)

const askedContent = (message: MessageView, text: string): VNode =>
  h('div', { 'data-tw-part': 'bubble' }, [
    ...message.content.map((part, index) => {
      if (part.type === 'text') return null
      return part.type === 'image'
        ? h(GatedImage, { key: index, src: sourceAddress(part.source), alt: fileFacts(part).name })
        : h(MessageFile, { key: index, part })
    }),
    text === '' ? null : h('p', text),
  ])

const Answer = defineComponent(
  (props: { readonly message: MessageView }) => {
    const context = useSessionContext()
    const groups = useView(view => groupBlocks(view, blocksOf(view, props.message)))
    const broken = computed(() => {
      const { state, error, abort_reason } = props.message
      return state === 'aborted' ? (error?.message ?? abort_reason ?? '') : undefined
    })
    return () =>
      h(
        'article',
        {
          'data-tw-part': 'message',
          'data-role': 'assistant',
          'data-state': props.message.state,
          'data-tw-state': props.message.state,
          'aria-busy': props.message.state === 'streaming',
        },
        [
          h('h3', { 'data-tw-part': 'author' }, context.t.value('message.assistant')),
          props.message.compacted
            ? h('p', { 'data-tw-part': 'note' }, context.t.value('message.compacted'))
            : null,
          ...groups.value.map(group =>
            group.type === 'calls'
              ? h(ToolGroup, { key: group.id, calls: group.calls })
              : block(context, group.block),
          ),
          broken.value === undefined
            ? null
            : h(
                'p',
                { 'data-tw-part': 'note' },
                context.t.value('message.aborted', { reason: broken.value }),
              ),
        ],
      )
  },
  { name: 'Answer', props: ['message'] },
)

function block({ t }: SessionContextValue, shown: BlockView): VNode | null {
  const key = shown.id
  switch (shown.kind) {
    case 'text':
      return h(TextBlock, { key, block: shown })
    case 'thinking':
      return h(ThinkingBlock, { key, block: shown })
    case 'redacted_thinking':
      return h('p', { key, 'data-tw-part': 'note' }, t.value('message.redacted'))
    case 'refusal':
      return h('div', { key, 'data-tw-part': 'refusal' }, [
        h('strong', t.value('message.refusal')),
        h('p', shown.text),
      ])
    case 'tool_use':
    case 'provider_tool_use':
      return shown.call === undefined ? null : h(ToolCall, { key, id: shown.call })
    case 'provider_tool_result':
    case 'file':
      return null
  }
}

/** Copies what the assistant wrote in these messages. */
export const CopyAnswer = defineComponent(
  (props: { readonly messages: readonly string[] }) => {
    const text = useView(view => answerText(view, props.messages))
    return () => (text.value === '' ? null : h(CopyButton, { text: text.value }))
  },
  { name: 'CopyAnswer', props: ['messages'] },
)
