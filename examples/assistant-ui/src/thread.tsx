/** The conversation, drawn with the primitives of assistant-ui. */
import {
  ActionBarPrimitive,
  AttachmentPrimitive,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
  useAuiState,
} from '@assistant-ui/react'

interface ThreadProps {
  /** Ends the run at the server: closing the stream does not. */
  readonly stop: () => void
  readonly error: Error | undefined
}

export function Thread({ stop, error }: ThreadProps) {
  const isRunning = useAuiState(({ thread }) => thread.isRunning)
  const status = isRunning ? 'running' : error ? 'error' : 'ready'
  return (
    <ThreadPrimitive.Root asChild>
      <main data-status={status}>
        <ThreadPrimitive.Viewport>
          <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage, EditComposer }} />
        </ThreadPrimitive.Viewport>
        {error && <p role="alert">{error.message}</p>}
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Attachments components={{ Attachment }} />
          <ComposerPrimitive.AddAttachment data-part="attach">Attach</ComposerPrimitive.AddAttachment>
          <ComposerPrimitive.Input aria-label="Message" name="text" />
          <ComposerPrimitive.Send data-part="send">Send</ComposerPrimitive.Send>
          {isRunning && (
            <ComposerPrimitive.Cancel data-part="stop" onClick={stop}>
              Stop
            </ComposerPrimitive.Cancel>
          )}
        </ComposerPrimitive.Root>
      </main>
    </ThreadPrimitive.Root>
  )
}

const Attachment = () => (
  <AttachmentPrimitive.Root>
    <span data-part="file">
      <AttachmentPrimitive.Name />
    </span>
  </AttachmentPrimitive.Root>
)

const Text = ({ text }: { readonly text: string }) => <p data-part="text">{text}</p>
const Reasoning = ({ text }: { readonly text: string }) => <p data-part="reasoning">{text}</p>

const useMessageId = (): string => useAuiState(({ message }) => message.id)

const UserMessage = () => (
  <MessagePrimitive.Root asChild>
    <article data-role="user" data-id={useMessageId()}>
      <MessagePrimitive.Parts components={{ Text }} />
      <MessagePrimitive.Attachments components={{ Attachment }} />
      <ActionBarPrimitive.Edit data-part="edit">Edit</ActionBarPrimitive.Edit>
    </article>
  </MessagePrimitive.Root>
)

const EditComposer = () => (
  <ComposerPrimitive.Root>
    <ComposerPrimitive.Input aria-label="New text" name="edit" />
    <ComposerPrimitive.Send data-part="send-edit">Send</ComposerPrimitive.Send>
  </ComposerPrimitive.Root>
)

const AssistantMessage = () => (
  <MessagePrimitive.Root asChild>
    <article data-role="assistant" data-id={useMessageId()}>
      <MessagePrimitive.Parts components={{ Text, Reasoning, tools: { Fallback: Call } }} />
      <ActionBarPrimitive.Reload data-part="regenerate">Answer again</ActionBarPrimitive.Reload>
    </article>
  </MessagePrimitive.Root>
)

/** The state is the server's: the first decision is recorded, whatever a page claims. */
function Call({
  toolName,
  argsText,
  result,
  isError,
  approval,
  status,
  respondToApproval,
}: ToolCallMessagePartProps) {
  const asks = approval !== undefined && approval.approved === undefined && result === undefined
  const state = asks ? 'approval-requested' : result === undefined ? status.type : isError ? 'failed' : 'done'
  return (
    <section data-part="call" data-tool={toolName} data-state={state}>
      <code data-part="input">{argsText}</code>
      {result !== undefined && (
        <pre data-part="output">{typeof result === 'string' ? result : JSON.stringify(result)}</pre>
      )}
      {asks && (
        <>
          <button
            type="button"
            data-part="approve"
            onClick={() => void respondToApproval({ approved: true })}
          >
            Allow
          </button>
          <button type="button" data-part="deny" onClick={() => void respondToApproval({ approved: false })}>
            Deny
          </button>
        </>
      )}
    </section>
  )
}
