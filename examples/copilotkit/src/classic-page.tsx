/** The classic components of CopilotKit. There is no CopilotKit runtime: the page talks to Toolwire itself. */
import { type CatchAllActionRenderProps, CopilotKit, useCopilotAction } from '@copilotkit/react-core'
import { useCopilotKit, useInterrupt } from '@copilotkit/react-core/v2'
import { CopilotChat } from '@copilotkit/react-ui'
import { useEffect, useState } from 'react'
import '@copilotkit/react-ui/styles.css'

export function Page({ threadId }: { readonly threadId: string }) {
  return (
    <CopilotKit runtimeUrl="/copilotkit" threadId={threadId} showDevConsole={false}>
      <main>
        <Heater />
        <Approvals />
        <Failure />
        <CopilotChat attachments={{ enabled: true }} />
      </main>
    </CopilotKit>
  )
}

/** The chat shows no failed run, and the classic `onError` is called with a public API key of CopilotKit alone. */
function Failure() {
  const [error, setError] = useState<string>()
  const { copilotkit } = useCopilotKit()
  useEffect(() => {
    const listener = copilotkit.subscribe({ onError: ({ error: cause }) => setError(cause.message) })
    return () => listener.unsubscribe()
  }, [copilotkit])
  return error === undefined ? null : <p role="alert">{error}</p>
}

/** A tool that runs in this page. */
function Heater() {
  const [degrees, setDegrees] = useState(20)
  useCopilotAction({
    name: 'set_temperature',
    description: 'Sets the temperature of the heater on the page.',
    parameters: [{ name: 'value', type: 'number', description: 'Degrees', required: true }],
    handler: ({ value }) => {
      if (value > 30) throw new Error('the heater has 30 degrees at most')
      setDegrees(value)
      return { temperature: value }
    },
  })
  useCopilotAction({
    name: '*',
    render: ({ name, status, args, result }: CatchAllActionRenderProps) => (
      <section data-part="call" data-tool={name} data-state={status}>
        <code data-part="input">{JSON.stringify(args)}</code>
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
