/** Storage usage, and how to free space. Read-only: deleting is done at the data. */
import { formatBytes, formatNumber } from '@toolwire/core/view'
import { type StorageJson, serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { useLoaded } from '../use-loaded.ts'
import { Group } from './group.tsx'

/** Hidden without permission: it covers every owner's sessions. */
export function StorageGroup() {
  const { a, locale } = useStrings()
  const { data } = useLoaded(serverApi.storage)
  if (!data) return null
  const states = STATES.filter(state => data.by_state[state])
  return (
    <Group title={a('storage.title')}>
      <dl className="facts storage">
        <div>
          <dt>{a('storage.size')}</dt>
          <dd>
            {formatBytes(data.bytes, locale)}
            {data.place && (
              <span className="quiet">
                {' · '}
                {ENGINES[data.place.engine]} · <code>{data.place.data}</code>
              </span>
            )}
          </dd>
        </div>
        <div>
          <dt>{a('storage.sessions')}</dt>
          <dd>
            {formatNumber(data.sessions, locale)}
            {states.map(state => (
              <span className="quiet" key={state}>
                {` · ${a(`sessions.${state}`)} ${formatNumber(data.by_state[state] ?? 0, locale)}`}
              </span>
            ))}
          </dd>
        </div>
        <div>
          <dt>{a('storage.events')}</dt>
          <dd>{formatNumber(data.events, locale)}</dd>
        </div>
        <div>
          <dt>{a('storage.old')}</dt>
          <dd>
            <Advice storage={data} />
          </dd>
        </div>
      </dl>
    </Group>
  )
}

const STATES = ['idle', 'running', 'paused', 'failed'] as const
const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

/** The command for the youngest age at which there is something to delete. */
function Advice({ storage: { prunable, place } }: { readonly storage: StorageJson }) {
  const { a } = useStrings()
  const some = prunable.find(({ sessions }) => sessions > 0)
  const counts = prunable
    .map(({ older_than_days: days, sessions: n }) => a('storage.prunable', { n, days }))
    .join(' · ')
  if (!some) return <>{counts}</>
  const data = place?.engine === 'sqlite' ? ` --data '${place.data}'` : ''
  return (
    <>
      {counts}
      <p className="quiet">{a(place?.engine === 'postgres' ? 'storage.prune' : 'storage.prune_stopped')}</p>
      <pre className="command">{`toolwire db prune --older-than ${some.older_than_days}${data}`}</pre>
    </>
  )
}
