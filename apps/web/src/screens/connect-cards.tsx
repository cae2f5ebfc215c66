/** Next steps after the demo: a key for a real model, and the first request from a program. */
import { useState } from 'react'
import { CopyLines } from '../copy-lines.tsx'
import { type ModelJson, serverApi } from '../server-api.ts'
import { Choice } from '../settings/choice.tsx'
import { ProviderForm } from '../settings/provider-form.tsx'
import { useStrings } from '../strings/use-strings.ts'
import { useLoaded } from '../use-loaded.ts'

const PROVIDERS = {
  anthropic: { name: 'Anthropic', line: 'export ANTHROPIC_API_KEY=sk-ant-…' },
  openai: { name: 'OpenAI', line: 'export OPENAI_API_KEY=sk-…' },
} as const
type Provider = keyof typeof PROVIDERS

export interface ConnectCardsProps {
  /** Undefined until the server's models are loaded. */
  readonly models: readonly ModelJson[] | undefined
  /** The models may be others now. */
  readonly onChange: () => void
}

export function ConnectCards({ models, onChange }: ConnectCardsProps) {
  const { a } = useStrings()
  const [used, setUsed] = useState(false)
  // A server whose only model is the demo has no key. After a key was set, the result stays visible.
  const isOffered = used || models?.every(({ id }) => id === 'demo') === true
  const changed = () => {
    setUsed(true)
    onChange()
  }
  return (
    <div className="connect">
      {isOffered && (
        <details className="connect-card connect-key">
          <summary>{a('home.key')}</summary>
          <Key onChange={changed} />
        </details>
      )}
      <details className="connect-card curl">
        <summary>{a('home.curl')}</summary>
        <p>{a('home.curl_note')}</p>
        <CopyLines lines={curlLines(location.origin)} />
        <p>{a('home.curl_openai')}</p>
        <CopyLines lines={openAiLines(location.origin)} />
      </details>
    </div>
  )
}

function Key({ onChange }: { readonly onChange: () => void }) {
  const { a } = useStrings()
  const [provider, setProvider] = useState<Provider>('anthropic')
  // Users who may not set keys here can still set them where the server starts.
  const { data, refresh } = useLoaded(serverApi.providers)
  const known = data?.providers.find(one => one.provider === provider)
  const changed = () => {
    refresh()
    onChange()
  }
  return (
    <>
      {known && <p>{a('home.key_paste')}</p>}
      <Choice
        label={a('home.provider')}
        value={provider}
        options={[
          ['anthropic', PROVIDERS.anthropic.name],
          ['openai', PROVIDERS.openai.name],
        ]}
        onChange={setProvider}
      />
      {known && <ProviderForm key={provider} provider={known} onChange={changed} />}
      <p>{a('home.key_note')}</p>
      <CopyLines lines={[PROVIDERS[provider].line, 'npx toolwire doctor', 'npx toolwire']} />
      <p className="quiet">{a('home.key_checkout')}</p>
    </>
  )
}

const openAiLines = (origin: string): readonly string[] => [
  `curl -N ${origin}/v1/chat/completions -H 'content-type: application/json' \\`,
  `  -d '{"model":"demo","stream":true,"messages":[{"role":"user","content":"hello"}]}'`,
]

const curlLines = (origin: string): readonly string[] => [
  `ID=$(curl -s -X POST ${origin}/api/sessions | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')`,
  `curl -N ${origin}/api/chat/stream -H 'content-type: application/json' \\`,
  `  -d "{\\"session_id\\":\\"$ID\\",\\"message\\":\\"list the files\\"}"`,
]
