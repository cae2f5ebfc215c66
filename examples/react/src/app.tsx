/** The whole page: a conversation, and a heater that the model may turn through a tool of this page. */
import {
  Announcer,
  ApprovalBatch,
  Composer,
  ConnectionChip,
  Conversation,
  useClientTool,
  useStats,
} from '@toolwire/react'
import { useState } from 'react'

/** Outside of the component: an equal schema must be the same object, or the tool registers anew. */
const SCHEMA = {
  type: 'object',
  properties: { value: { type: 'number', description: 'Degrees' } },
  required: ['value'],
}

export function App() {
  const { turns } = useStats()
  return (
    <main className="page">
      <header className="top">
        <h1>Toolwire with React</h1>
        <Heater />
        <span data-part="requests">{turns} model requests</span>
        <ConnectionChip />
      </header>
      <div className="talk">
        <Conversation />
      </div>
      <ApprovalBatch />
      <Composer autoFocus />
      <Announcer />
    </main>
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
