/** Agents: settings of sessions under a name. A save adds a version; sessions keep the one they began with. */
import { useState } from 'react'
import { followLink } from '../router.ts'
import { ScreenHeader } from '../screens/screen-header.tsx'
import { type AgentJson, serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { errorText, useLoaded } from '../use-loaded.ts'
import { AgentForm } from './agent-form.tsx'

export function AgentsScreen({ onMenu }: { readonly onMenu: () => void }) {
  const { a } = useStrings()
  const { data, error, refresh } = useLoaded(serverApi.agents)
  const [editing, setEditing] = useState<AgentJson | 'new'>()
  const done = () => {
    setEditing(undefined)
    refresh()
  }
  return (
    <>
      <ScreenHeader title={a('agents.title')} onMenu={onMenu} />
      <div className="page">
        <p className="lead">{a('agents.lead')}</p>
        {error !== '' && (
          <p className="error" role="alert">
            {error}
          </p>
        )}
        {editing === undefined ? (
          <button type="button" className="button primary" onClick={() => setEditing('new')}>
            {a('agents.new')}
          </button>
        ) : (
          <AgentForm
            key={editing === 'new' ? 'new' : editing.id}
            agent={editing === 'new' ? undefined : editing}
            onDone={done}
            onCancel={() => setEditing(undefined)}
          />
        )}
        {data?.agents.length === 0 && editing === undefined && <p className="empty">{a('agents.empty')}</p>}
        <ul className="agents">
          {data?.agents.map(agent => (
            <AgentCard key={agent.id} agent={agent} onEdit={() => setEditing(agent)} onChange={refresh} />
          ))}
        </ul>
      </div>
    </>
  )
}

interface AgentCardProps {
  readonly agent: AgentJson
  readonly onEdit: () => void
  readonly onChange: () => void
}

function AgentCard({ agent, onEdit, onChange }: AgentCardProps) {
  const { a } = useStrings()
  const [error, setError] = useState('')
  const archive = async () => {
    try {
      await serverApi.archiveAgent(agent.id)
      onChange()
    } catch (thrown) {
      setError(errorText(thrown))
    }
  }
  const facts = [
    agent.model ?? a('agents.default_model'),
    a(agent.permission_mode === undefined ? 'agents.default_mode' : `mode.${agent.permission_mode}`),
    agent.tools === undefined ? a('agents.all_tools') : a('agents.tools', { n: agent.tools.length }),
    a('agents.version', { n: agent.version }),
  ]
  return (
    <li className="agent-card">
      <strong>{agent.name}</strong>
      {agent.description !== undefined && <p>{agent.description}</p>}
      <p className="quiet">{facts.join(' · ')}</p>
      <div className="agent-actions">
        <a className="button small" href={`/?agent=${encodeURIComponent(agent.name)}`} onClick={followLink}>
          {a('agents.start')}
        </a>
        <button type="button" className="button small" onClick={onEdit}>
          {a('agents.edit')}
        </button>
        <button type="button" className="button small" onClick={() => void archive()}>
          {a('agents.archive')}
        </button>
      </div>
      {error !== '' && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
    </li>
  )
}
