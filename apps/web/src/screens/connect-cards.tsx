/** What comes after the demo: a key for a real model, and the first request of one's own program. */
import { useState } from 'react'
import { CopyLines } from '../copy-lines.tsx'
import { serverApi } from '../server-api.ts'
import { Choice } from '../settings/choice.tsx'
import { useWords } from '../strings/use-words.ts'
import { useLoaded } from '../use-loaded.ts'

const PROVIDERS = {
  anthropic: { name: 'Anthropic', line: 'export ANTHROPIC_API_KEY=sk-ant-…' },
  openai: { name: 'OpenAI', line: 'export OPENAI_API_KEY=sk-…' },
} as const
const readModels = () => serverApi.models()

type Provider = keyof typeof PROVIDERS

export function ConnectCards() {
  const { a } = useWords()
  const { data } = useLoaded(readModels)
  // A server whose only model is the demo has no key.
  const isDemo = data?.models.every(({ id }) => id === 'demo') === true
  return (
    <div className="connect">
      {isDemo && (
        <details className="connect-card connect-key">
          <summary>{a('home.key')}</summary>
          <Key />
        </details>
      )}
      <details className="connect-card curl">
        <summary>{a('home.curl')}</summary>
        <p>{a('home.curl_note')}</p>
        <CopyLines lines={curlLines(location.origin)} />
      </details>
    </div>
  )
}

function Key() {
  const { a } = useWords()
  const [provider, setProvider] = useState<Provider>('anthropic')
  return (
    <>
      <p>{a('home.key_note')}</p>
      <Choice
        label={a('home.provider')}
        value={provider}
        options={[
          ['anthropic', PROVIDERS.anthropic.name],
          ['openai', PROVIDERS.openai.name],
        ]}
        onChange={setProvider}
      />
      <CopyLines lines={[PROVIDERS[provider].line, 'npx toolwire doctor', 'npx toolwire']} />
      <p className="quiet">{a('home.key_checkout')}</p>
    </>
  )
}

const curlLines = (origin: string): readonly string[] => [
  `ID=$(curl -s -X POST ${origin}/api/sessions | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')`,
  `curl -N ${origin}/api/chat/stream -H 'content-type: application/json' \\`,
  `  -d "{\\"session_id\\":\\"$ID\\",\\"message\\":\\"list the files\\"}"`,
]
