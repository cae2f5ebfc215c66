/** A new session: a box to write in, the model that answers, three things to try, and what comes after them. */
import type { MessageContent } from '@toolwire/core/parts'
import { MessageBox } from '@toolwire/react'
import { useState } from 'react'
import { AppIcon, type AppIconName } from '../app-icon.tsx'
import { client } from '../client.ts'
import { useHomeComplete } from '../composer/use-complete.ts'
import { registerPageTools } from '../page-tools.ts'
import { navigate, sessionPath } from '../router.ts'
import { type AgentJson, serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { useLoaded } from '../use-loaded.ts'
import { ConnectCards } from './connect-cards.tsx'
import { ScreenHeader } from './screen-header.tsx'

const readModels = () => serverApi.models()
const readSettings = () => serverApi.settings()
const readAgents = () => serverApi.agents()
const ATTACH = { upload: client.files.upload }
/** The mode that allows everything is confirmed in a session. */
const HOME_MODES = ['default', 'acceptEdits', 'plan', 'dontAsk'] as const

const CARDS: readonly { readonly n: 1 | 2 | 3; readonly icon: AppIconName }[] = [
  { n: 1, icon: 'terminal' },
  { n: 2, icon: 'shield' },
  { n: 3, icon: 'page' },
]

export function HomeScreen({ onMenu }: { readonly onMenu: () => void }) {
  const { t, a, locale } = useStrings()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const { data: known, refresh } = useLoaded(readModels)
  const { data: settings } = useLoaded(readSettings)
  const [chosen, setChosen] = useState('')
  const [mode, setMode] = useState<string>()
  const { data: agents } = useLoaded(readAgents)
  const [agent, setAgent] = useState(() => new URLSearchParams(location.search).get('agent') ?? '')
  const complete = useHomeComplete()
  // A model whose key was removed meanwhile is no choice any more.
  const model = known?.models.find(({ id }) => id === chosen)?.id
  const settled = agents?.agents.find(({ name }) => name === agent)
  const begin = async (_text: string, content: MessageContent) => {
    const { id } = await client.sessions.create({
      ...(agent === '' ? {} : { agent }),
      ...(model === undefined ? {} : { model }),
      ...(mode === undefined ? {} : { permission_mode: mode }),
    })
    const release = registerPageTools(id)
    try {
      await client.session(id).send(content)
      navigate(sessionPath(id))
    } finally {
      // The chat screen has taken hold of the session by now.
      release()
    }
  }
  const onCard = (text: string) => {
    setBusy(true)
    setError('')
    begin(text, text).catch((thrown: unknown) => {
      setBusy(false)
      setError(thrown instanceof Error ? thrown.message : String(thrown))
    })
  }
  return (
    <>
      <ScreenHeader title="" onMenu={onMenu} />
      <div className="home" data-tw-drop="">
        <h2>{a('home.title')}</h2>
        <p className="lead">{a('home.lead')}</p>
        {(model ?? known?.default) === 'demo' && (
          <p className="home-status" role="status">
            {a('home.demo')}
          </p>
        )}
        <MessageBox
          autoFocus
          onSend={begin}
          draftKey="home"
          placeholder={t('composer.placeholder')}
          words={{ send: t('composer.send') }}
          locale={locale}
          attach={ATTACH}
          complete={complete}
        >
          <AgentSelect agents={agents?.agents ?? []} value={agent} onChange={setAgent} />
          <span className="home-model">
            <select
              className="model"
              aria-label={a('chat.model')}
              value={model ?? settled?.model ?? known?.default ?? ''}
              onChange={event => setChosen(event.target.value)}
            >
              {(known?.models ?? []).map(({ id }) => (
                <option key={id}>{id}</option>
              ))}
            </select>
          </span>
          <select
            className="mode"
            aria-label={a('chat.mode')}
            value={mode ?? settled?.permission_mode ?? settings?.permission_mode ?? 'default'}
            onChange={event => setMode(event.target.value)}
          >
            {HOME_MODES.map(name => (
              <option key={name} value={name}>
                {a(`mode.${name}`)}
              </option>
            ))}
          </select>
        </MessageBox>
        {error !== '' && (
          <p className="error" role="alert">
            {error}
          </p>
        )}
        <div className="cards">
          {CARDS.map(({ n, icon }) => (
            <button
              key={n}
              type="button"
              className="card"
              disabled={busy}
              onClick={() => onCard(a(`home.card${n}.text`))}
            >
              <span className="card-icon">
                <AppIcon name={icon} />
              </span>
              <strong>{a(`home.card${n}.title`)}</strong>
              <CardText text={a(`home.card${n}.text`)} />
              <span className="card-note">{a(`home.card${n}.note`)}</span>
            </button>
          ))}
        </div>
        <ConnectCards models={known?.models} onChange={refresh} />
      </div>
    </>
  )
}

/** The text that will be sent; commands between backticks look like code. */
function CardText({ text }: { readonly text: string }) {
  const [before = '', code, after = ''] = text.split('`')
  return (
    <span className="card-text">
      {before}
      {code !== undefined && <code>{code}</code>}
      {after}
    </span>
  )
}

interface AgentSelectProps {
  readonly agents: readonly AgentJson[]
  readonly value: string
  readonly onChange: (name: string) => void
}

/** Draws nothing where no agent is stored. */
function AgentSelect({ agents, value, onChange }: AgentSelectProps) {
  const { a } = useStrings()
  if (agents.length === 0) return null
  return (
    <select
      className="agent"
      aria-label={a('home.agent')}
      title={a('home.agent')}
      value={value}
      onChange={event => onChange(event.target.value)}
    >
      <option value="">{a('home.no_agent')}</option>
      {agents.map(({ id, name }) => (
        <option key={id} value={name}>
          {name}
        </option>
      ))}
    </select>
  )
}
