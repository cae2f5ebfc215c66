/** The classic components of CopilotKit. There is no CopilotKit runtime: the page talks to Toolwire itself. */
import { type CatchAllActionRenderProps, CopilotKit, useCopilotAction } from '@copilotkit/react-core'
import { useInterrupt } from '@copilotkit/react-core/v2'
import { CopilotChat } from '@copilotkit/react-ui'
import { useState } from 'react'
import '@copilotkit/react-ui/styles.css'

export function Page({ threadId }: { readonly threadId: string }) {
  const [error, setError] = useState<string>()
  return (
    <CopilotKit
      runtimeUrl="/copilotkit"
      threadId={threadId}
      showDevConsole={false}
      onError={event => setError(JSON.stringify(event))}
    >
      <main>
        <Heater />
        <Approvals />
        {error && <p role="alert">{error}</p>}
        <CopilotChat />
      </main>
    </CopilotKit>
  )
}

/** A tool that runs in this page. */
function Heater() {
  const [degrees, setDegrees] = useState(20)
  useCopilotAction({
    name: 'set_temperature',
    description: 'Sets the temperature of the heater on the page.',
    parameters: [{ name: 'value', type: 'number', description: 'Degrees', required: true }],
    handler: ({ value }) => {
      setDegrees(value)
      return { temperature: value }
    },
  })
  useCopilotAction({
    name: '*',
    render: ({ name, status, result }: CatchAllActionRenderProps) => (
      <section data-part="call" data-tool={name} data-state={status}>
        <pre data-part="output">{typeof result === 'string' ? result : JSON.stringify(result ?? '')}</pre>
      </section>
    ),
  })
  return <output data-part="heater">{degrees}°</output>
}

/** Calls that wait for a decision of the user. */
function Approvals() {
  useInterrupt({
    render: ({ interrupt, resolve }) => (
      <section data-part="approval">
        <p>{interrupt?.message}</p>
        <button type="button" data-part="approve" onClick={() => resolve({ approved: true })}>
          Allow
        </button>
        <button type="button" data-part="deny" onClick={() => resolve({ approved: false })}>
          Deny
        </button>
      </section>
    ),
  })
  return null
}
