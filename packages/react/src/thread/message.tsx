/** One message: what a person sent, or the assistant's blocks in order. */
import { answerText, composerLabels, fileFacts, isEditable, sourceAddress } from '@toolwire/core/parts'
import {
  type BlockGroup,
  type BlockView,
  blocksOf,
  groupBlocks,
  type MessageView,
  textOf,
} from '@toolwire/core/view'
import { memo, useRef, useState } from 'react'
import { ToolCall } from '../call/tool-call.tsx'
import { ToolGroup } from '../call/tool-group.tsx'
import { GatedImage } from '../output/image-view.tsx'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { CopyButton } from '../shared/copy-button.tsx'
import { Icon } from '../shared/icon.tsx'
import { BranchPager } from '../versions/branch-pager.tsx'
import { MessageEditor } from '../versions/message-editor.tsx'
import { MessageFile } from './message-file.tsx'
import { TextBlock, ThinkingBlock } from './text-block.tsx'

/** Follows one message; draws nothing while the log does not know it. */
export const Message = memo(function Message({ id }: { readonly id: string }) {
  const message = useView(view => view.messages.get(id) ?? view.queue.find(item => item.id === id))
  if (!message) return null
  return message.role === 'assistant' ? <Answer message={message} /> : <Asked message={message} />
})

function Asked({ message }: { readonly message: MessageView }) {
  const { commands, t } = useSessionContext()
  const [isEditing, setEditing] = useState(false)
  const text = textOf(message.content)
  const canEdit = commands.edit !== undefined && isEditable(message)
  return (
    <article
      data-tw-part="message"
      data-role={message.role}
      data-state={message.state}
      data-tw-state={message.state}
    >
      <h3 data-tw-part="author">{t(`message.${message.role}`)}</h3>
      {isEditing ? (
        <MessageEditor message={message} onClose={() => setEditing(false)} />
      ) : (
        <>
          <AskedContent message={message} text={text} />
          {text !== '' && <CopyButton text={text} />}
          {canEdit && (
            <button type="button" data-tw-part="edit-message" onClick={() => setEditing(true)}>
              <Icon name="pencil" />
              <span>{composerLabels(t).edit}</span>
            </button>
          )}
          <BranchPager message={message.id} />
        </>
      )}
      {message.state === 'queued' && <p data-tw-part="note">{t('message.queued')}</p>}
    </article>
  )
}

function AskedContent({ message, text }: { readonly message: MessageView; readonly text: string }) {
  return (
    <div data-tw-part="bubble">
      {message.content.map((part, index) => {
        if (part.type === 'text') return null
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a sent message never change
        if (part.type !== 'image') return <MessageFile key={index} part={part} />
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a sent message never change
        return <GatedImage key={index} src={sourceAddress(part.source)} alt={fileFacts(part).name} />
      })}
      {text !== '' && <p>{text}</p>}
    </div>
  )
}

function Answer({ message }: { readonly message: MessageView }) {
  const { t } = useSessionContext()
  const groups = useGroups(message)
  return (
    <article
      data-tw-part="message"
      data-role="assistant"
      data-state={message.state}
      data-tw-state={message.state}
      aria-busy={message.state === 'streaming'}
    >
      <h3 data-tw-part="author">{t('message.assistant')}</h3>
      {message.compacted && <p data-tw-part="note">{t('message.compacted')}</p>}
      {groups.map(group =>
        group.type === 'calls' ? (
          <ToolGroup key={group.id} calls={group.calls} />
        ) : (
          <Block key={group.block.id} block={group.block} />
        ),
      )}
      {message.state === 'aborted' && (
        <p data-tw-part="note">
          {t('message.aborted', { reason: message.error?.message ?? message.abort_reason ?? '' })}
        </p>
      )}
    </article>
  )
}

/** The same list as long as its blocks, and which of them are grouped, stay the same. */
function useGroups(message: MessageView): readonly BlockGroup[] {
  const last = useRef<readonly BlockGroup[]>([])
  return useView(view => {
    const groups = groupBlocks(view, blocksOf(view, message))
    if (!sameGroups(last.current, groups)) last.current = groups
    return last.current
  })
}

const sameGroups = (a: readonly BlockGroup[], b: readonly BlockGroup[]): boolean =>
  a.length === b.length && a.every((group, i) => sameGroup(group, b[i]))

function sameGroup(a: BlockGroup, b: BlockGroup | undefined): boolean {
  if (a.type === 'block') return b?.type === 'block' && a.block === b.block
  return b?.type === 'calls' && a.calls.length === b.calls.length && a.calls.every((c, i) => c === b.calls[i])
}

function Block({ block }: { readonly block: BlockView }) {
  const { t } = useSessionContext()
  switch (block.kind) {
    case 'text':
      return <TextBlock block={block} />
    case 'thinking':
      return <ThinkingBlock block={block} />
    case 'redacted_thinking':
      return <p data-tw-part="note">{t('message.redacted')}</p>
    case 'refusal':
      return (
        <div data-tw-part="refusal">
          <strong>{t('message.refusal')}</strong>
          <p>{block.text}</p>
        </div>
      )
    case 'tool_use':
    case 'provider_tool_use':
      return block.call === undefined ? null : <ToolCall id={block.call} />
    case 'provider_tool_result':
    case 'file':
      return null
  }
}

/** Copies what the assistant wrote in these messages. */
export function CopyAnswer({ messages }: { readonly messages: readonly string[] }) {
  const text = useView(view => answerText(view, messages))
  return text === '' ? null : <CopyButton text={text} />
}
