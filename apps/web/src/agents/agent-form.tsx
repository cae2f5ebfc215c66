/** The form of an agent. A version that was saved elsewhere meanwhile is not overwritten: the server rejects it. */
import { type FormEvent, useState } from 'react'
import { type AgentJson, serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { errorText, useLoaded } from '../use-loaded.ts'

/** Modes that need no further scope of the author. */
const AGENT_MODES = ['default', 'plan', 'dontAsk'] as const

interface AgentFormProps {
  /** Absent for a new one. */
  readonly agent: AgentJson | undefined
  readonly onDone: () => void
  readonly onCancel: () => void
}

export function AgentForm({ agent, onDone, onCancel }: AgentFormProps) {
  const { t, a } = useStrings()
  const [name, setName] = useState(agent?.name ?? '')
  const [description, setDescription] = useState(agent?.description ?? '')
  const [instructions, setInstructions] = useState(agent?.append_system ?? '')
  const [model, setModel] = useState(agent?.model ?? '')
  const [mode, setMode] = useState<string>(agent?.permission_mode ?? '')
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError('')
    const change = {
      description: description.trim() || null,
      append_system: instructions.trim() || null,
      model: model || null,
      permission_mode: mode || null,
    }
    try {
      if (agent) await serverApi.updateAgent(agent.id, { if_version: agent.version, ...change })
      else await serverApi.createAgent({ name: name.trim(), ...change })
      onDone()
    } catch (thrown) {
      setBusy(false)
      setError(errorText(thrown))
    }
  }
  return (
    <form className="agent-form" onSubmit={event => void save(event)}>
      {agent === undefined ? (
        <label className="field">
          <span>{a('agents.name')}</span>
          <input
            required
            pattern="[a-z0-9]([a-z0-9\-]{0,62}[a-z0-9])?"
            title={a('agents.name_note')}
            value={name}
            onChange={event => setName(event.target.value)}
          />
        </label>
      ) : (
        <h2>{agent.name}</h2>
      )}
      <label className="field">
        <span>{a('agents.description')}</span>
        <input value={description} maxLength={1024} onChange={event => setDescription(event.target.value)} />
      </label>
      <label className="field">
        <span>{a('agents.instructions')}</span>
        <textarea rows={6} value={instructions} onChange={event => setInstructions(event.target.value)} />
      </label>
      <Choices model={model} mode={mode} onModel={setModel} onMode={setMode} />
      {error !== '' && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      <div className="agent-actions">
        <button type="submit" className="button primary" disabled={busy}>
          {a('prompt.save')}
        </button>
        <button type="button" className="button" onClick={onCancel}>
          {t('common.cancel')}
        </button>
      </div>
    </form>
  )
}

const readModels = () => serverApi.models()

interface ChoicesProps {
  readonly model: string
  readonly mode: string
  readonly onModel: (model: string) => void
  readonly onMode: (mode: string) => void
}

function Choices({ model, mode, onModel, onMode }: ChoicesProps) {
  const { a } = useStrings()
  const { data } = useLoaded(readModels)
  const models = data?.models.map(({ id }) => id) ?? []
  const modes: readonly string[] = AGENT_MODES
  return (
    <>
      <label className="field">
        <span>{a('chat.model')}</span>
        <select value={model} onChange={event => onModel(event.target.value)}>
          <option value="">{a('agents.default_model')}</option>
          {[...new Set([...models, model])].filter(Boolean).map(id => (
            <option key={id}>{id}</option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>{a('chat.mode')}</span>
        <select value={mode} onChange={event => onMode(event.target.value)}>
          <option value="">{a('agents.default_mode')}</option>
          {AGENT_MODES.map(id => (
            <option key={id} value={id}>
              {a(`mode.${id}`)}
            </option>
          ))}
          {mode !== '' && !modes.includes(mode) && <option>{mode}</option>}
        </select>
      </label>
    </>
  )
}
