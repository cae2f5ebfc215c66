/** Rules of the server and its projects, and the grants of any session. */
import { useState } from 'react'
import { client } from '../client.ts'
import { useStrings } from '../strings/use-strings.ts'
import { useLoaded } from '../use-loaded.ts'
import { Group } from './group.tsx'
import { RuleList } from './rule-list.tsx'

const readSessions = () => client.sessions.list({ limit: 50, inputs: 'short' })

export function PermissionsGroup() {
  const { t, a } = useStrings()
  const { data } = useLoaded(readSessions)
  const [session, setSession] = useState('')
  return (
    <Group title={a('permissions.title')}>
      <label className="field rules-of">
        <span className="field-note">{a('permissions.of')}</span>
        <select value={session} onChange={event => setSession(event.target.value)}>
          <option value="">{a('permissions.new')}</option>
          {data?.sessions.map(({ id, title }) => (
            <option key={id} value={id}>
              {title ?? t('session.untitled')}
            </option>
          ))}
        </select>
      </label>
      <RuleList key={session} session={session === '' ? undefined : session} />
    </Group>
  )
}
