/** The whole page: useChat against Toolwire, with tools of the page, approvals, edits, another answer and stop. */
import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport, type DynamicToolUIPart, type UIMessage } from 'ai'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { type Answers, Message } from './message.tsx'
import { PAGE_TOOLS, readDegrees } from './page-tools.ts'
import { API, isAnswered } from './server.ts'

const transport = new DefaultChatTransport<UIMessage>({ api: API, body: { tools: PAGE_TOOLS } })

export function App({ id, messages }: { readonly id: string; readonly messages: UIMessage[] }) {
  const [degrees, setDegrees] = useState(20)
  const chat = useChat({ id, messages, transport, resume: true, sendAutomaticallyWhen: isAnswered })
  const run = (call: DynamicToolUIPart): void => {
    const one = { tool: call.toolName, toolCallId: call.toolCallId } as const
    try {
      const value = readDegrees(call.input)
      setDegrees(value)
      void chat.addToolOutput({ ...one, output: { temperature: value } })
    } catch (error) {
      void chat.addToolOutput({ ...one, state: 'output-error', errorText: String(error) })
    }
  }
  useOpenCalls(chat.messages, chat.status, run)
  const answers: Answers = {
    decide: (approval, approved) => void chat.addToolApprovalResponse({ id: approval, approved }),
    edit: (messageId, text) => void chat.sendMessage({ text, messageId }),
    regenerate: messageId => void chat.regenerate({ messageId }),
  }
  // useChat alone only stops reading: the run ends at the server.
  const stop = async (): Promise<void> => {
    await fetch(`${API}/${id}/stop`, { method: 'POST' })
    await chat.stop()
  }
  return (
    <main data-status={chat.status}>
      <h1>Toolwire with the AI SDK</h1>
      <output data-part="heater">{degrees}°</output>
      {chat.messages.map(message => (
        <Message key={message.id} message={message} answers={answers} />
      ))}
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <Composer send={(text, files) => void chat.sendMessage({ text, ...(files ? { files } : {}) })} />
      <button type="button" data-part="stop" onClick={() => void stop()}>
        Stop
      </button>
      <button type="button" data-part="retry" onClick={() => void chat.regenerate()}>
        Another answer
      </button>
    </main>
  )
}

/** Runs calls of page tools that no one has answered: also those that a reload brought back. */
function useOpenCalls(
  messages: readonly UIMessage[],
  status: string,
  run: (call: DynamicToolUIPart) => void,
): void {
  const started = useRef(new Set<string>())
  useEffect(() => {
    if (status !== 'ready') return
    const runAll = (): void => {
      for (const part of messages.at(-1)?.parts ?? []) {
        if (part.type !== 'dynamic-tool' || part.state !== 'input-available' || part.providerExecuted)
          continue
        if (started.current.has(part.toolCallId)) continue
        started.current.add(part.toolCallId)
        run(part)
      }
    }
    // A page that comes back resumes first: version 5 sends no output that is added meanwhile.
    const timer = setTimeout(runAll)
    return () => clearTimeout(timer)
  })
}

function Composer({ send }: { readonly send: (text: string, files?: FileList) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = event.currentTarget
    const text = new FormData(form).get('text')
    const files = form.querySelector<HTMLInputElement>('[type="file"]')?.files
    if (typeof text !== 'string' || text === '') return
    send(text, files && files.length > 0 ? files : undefined)
    form.reset()
  }
  return (
    <form onSubmit={submit}>
      <input name="text" aria-label="Message" />
      <input name="files" type="file" multiple aria-label="Files" />
      <button type="submit">Send</button>
    </form>
  )
}
