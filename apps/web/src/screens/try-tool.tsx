/** Runs one tool with the user's arguments: a form from its schema, and the running call. */
import type { ToolSpec } from '@toolwire/core'
import { SchemaForm, SessionProvider, ToolCallCard, useView } from '@toolwire/react'
import { useState } from 'react'
import { CallControls } from '../call-actions.tsx'
import { client } from '../client.ts'
import { Code } from '../markdown/code.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { followLink, sessionPath } from '../router.ts'
import { serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { PageHost } from '../tool-page/page-host.tsx'
import { errorText } from '../use-loaded.ts'

/** The call passes the same checks and questions as a model's, in a separate session. */
export function TryTool({ tool }: { readonly tool: ToolSpec }) {
  const { t, a } = useStrings()
  const [session, setSession] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const run = (input: unknown) => {
    setBusy(true)
    setError('')
    void serverApi
      .tryTool(tool.name, input)
      .then(
        made => setSession(made.session_id),
        (thrown: unknown) => setError(errorText(thrown)),
      )
      .then(() => setBusy(false))
  }
  return (
    <section className="try" aria-label={`${a('tools.try')}: ${tool.name}`}>
      <SchemaForm t={t} schema={tool.input_schema} submit={a('tools.run')} busy={busy} onSubmit={run} />
      {error !== '' && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      {session !== '' && <Tried key={session} session={session} />}
    </section>
  )
}

function Tried({ session }: { readonly session: string }) {
  const { strings, a } = useStrings()
  return (
    <div className="tried">
      <SessionProvider
        client={client}
        sessionId={session}
        strings={strings}
        density="everything"
        text={Markdown}
        code={Code}
        callActions={CallControls}
      >
        <Calls />
        <PageHost />
      </SessionProvider>
      <a className="button small" href={sessionPath(session)} onClick={followLink}>
        {a('inbox.open')}
      </a>
    </div>
  )
}

function Calls() {
  const calls = useView(view => view.calls)
  return [...calls.values()].map(call => <ToolCallCard key={call.id} call={call} />)
}
