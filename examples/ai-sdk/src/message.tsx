/** One message: its texts, its reasoning, its calls with what they ask, and its files. */
import type { DynamicToolUIPart, UIMessage } from 'ai'
import { useState } from 'react'

export interface Answers {
  readonly decide: (approval: string, approved: boolean) => void
  readonly edit: (messageId: string, text: string) => void
  readonly regenerate: (messageId: string) => void
}

interface MessageProps {
  readonly message: UIMessage
  readonly answers: Answers
}

export function Message({ message, answers }: MessageProps) {
  return (
    <article data-role={message.role} data-id={message.id}>
      {message.parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added
        <Part key={at} part={part} answers={answers} />
      ))}
      {message.role === 'user' ? (
        <Editor message={message} edit={answers.edit} />
      ) : (
        <button type="button" data-part="regenerate" onClick={() => answers.regenerate(message.id)}>
          Answer again
        </button>
      )}
    </article>
  )
}

function Part({ part, answers }: { readonly part: UIMessage['parts'][number]; readonly answers: Answers }) {
  switch (part.type) {
    case 'text':
      return <p data-part="text">{part.text}</p>
    case 'reasoning':
      return <p data-part="reasoning">{part.text}</p>
    case 'file':
      return <p data-part="file">{`${part.filename ?? ''} ${part.mediaType}`}</p>
    case 'dynamic-tool':
      return <Call call={part} decide={answers.decide} />
    default:
      return null
  }
}

/** The state is the server's, also after a reload: the first decision is recorded, whatever a page claims. */
function Call({ call, decide }: { readonly call: DynamicToolUIPart; readonly decide: Answers['decide'] }) {
  return (
    <section data-part="call" data-tool={call.toolName} data-state={call.state}>
      <code data-part="input">{JSON.stringify(call.input)}</code>
      {call.state === 'output-available' && <pre data-part="output">{toText(call.output)}</pre>}
      {call.state === 'output-error' && <pre data-part="failure">{call.errorText}</pre>}
      {call.state === 'approval-requested' && (
        <>
          <button type="button" data-part="approve" onClick={() => decide(call.approval.id, true)}>
            Allow
          </button>
          <button type="button" data-part="deny" onClick={() => decide(call.approval.id, false)}>
            Deny
          </button>
        </>
      )}
    </section>
  )
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function Editor({ message, edit }: { readonly message: UIMessage; readonly edit: Answers['edit'] }) {
  const [text, setText] = useState('')
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (text !== '') edit(message.id, text)
      }}
    >
      <input
        aria-label="New text"
        data-part="edit"
        value={text}
        onChange={event => setText(event.target.value)}
      />
    </form>
  )
}
