/** The whole page: a conversation, and a heater that the model may turn through a tool of this page. */
import {
  Announcer,
  ApprovalBatch,
  Composer,
  ConnectionChip,
  Thread,
  type ThreadHandle,
  Timeline,
  useClientTool,
  usePending,
  useStats,
} from '@toolwire/react'
import { type RefObject, useRef, useState } from 'react'

/** Outside of the component: an equal schema must be the same object, or the tool registers again. */
const SCHEMA = {
  type: 'object',
  properties: { value: { type: 'number', description: 'Degrees' } },
  required: ['value'],
}

export function App() {
  const { turns } = useStats()
  const thread = useRef<ThreadHandle>(null)
  return (
    <main className="page">
      <header className="top">
        <h1>Toolwire with React</h1>
        <Heater />
        <span data-part="requests">{turns} model requests</span>
        <Waiting thread={thread} />
        <Trace thread={thread} />
        <ConnectionChip />
      </header>
      <div className="talk">
        <Thread ref={thread} />
      </div>
      <ApprovalBatch />
      <Composer autoFocus />
      <Announcer />
    </main>
  )
}

/** Leads to the pending item, anywhere in the conversation. */
function Waiting({ thread }: { readonly thread: RefObject<ThreadHandle | null> }) {
  const [first] = usePending()
  if (!first) return null
  return (
    <button
      type="button"
      data-part="waiting"
      onClick={() => thread.current?.reveal(first.call, { focus: true })}
    >
      {first.name} waits
    </button>
  )
}

/** Bars over time; each leads to its card. Drawn when visible. */
function Trace({ thread }: { readonly thread: RefObject<ThreadHandle | null> }) {
  const [open, setOpen] = useState(false)
  return (
    <details className="trace" data-part="trace" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>Trace</summary>
      {open && <Timeline onSelect={call => thread.current?.reveal(call)} />}
    </details>
  )
}

/** Runs in the browser: the session waits until some page with this tool has answered. */
function Heater() {
  const [degrees, setDegrees] = useState(20)
  useClientTool('set_temperature', {
    description: 'Sets the temperature of the heater on the page.',
    input_schema: SCHEMA,
    handler(input) {
      const value = (input as { readonly value?: unknown } | null)?.value
      if (typeof value !== 'number') throw new Error('value must be a number')
      setDegrees(value)
      return { temperature: value }
    },
  })
  return <output data-part="heater">{degrees}°</output>
}
