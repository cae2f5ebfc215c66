/** The components of CopilotKit 2. There is no CopilotKit runtime: the page talks to Toolwire itself. */
import {
  CopilotChat,
  CopilotKitProvider,
  useDefaultRenderTool,
  useFrontendTool,
  useInterrupt,
} from '@copilotkit/react-core/v2'
import { useState } from 'react'
import { z } from 'zod'
import '@copilotkit/react-core/v2/styles.css'

export function Page({ threadId }: { readonly threadId: string }) {
  // A failed run leaves half a text in the chat and nothing else: the page has to show the reason.
  const [error, setError] = useState<string>()
  return (
    <CopilotKitProvider runtimeUrl="/copilotkit" onError={({ error: cause }) => setError(cause.message)}>
      <main>
        <Heater />
        <Approvals />
        {error && <p role="alert">{error}</p>}
        <CopilotChat threadId={threadId} attachments={{ enabled: true }} />
      </main>
    </CopilotKitProvider>
  )
}

/** A tool that runs in this page. */
function Heater() {
  const [degrees, setDegrees] = useState(20)
  useFrontendTool({
    name: 'set_temperature',
    description: 'Sets the temperature of the heater on the page.',
    parameters: z.object({ value: z.number() }),
    handler: async ({ value }) => {
      if (value > 30) throw new Error('the heater has 30 degrees at most')
      setDegrees(value)
      return { temperature: value }
    },
  })
  useDefaultRenderTool({
    render: ({ name, status, parameters, result }) => (
      <section data-part="call" data-tool={name} data-state={status}>
        <code data-part="input">{JSON.stringify(parameters)}</code>
        <pre data-part="output">{result ?? ''}</pre>
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
