/** Notes that models keep for later sessions, file by file. */
import { formatBytes } from '@toolwire/core/view'
import { serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { useLoaded } from '../use-loaded.ts'
import { Group } from './group.tsx'
import { RevocableList } from './revocable-list.tsx'

/** Nothing is shown by a server that keeps no memory. */
export function MemoryGroup() {
  const { a, locale } = useStrings()
  const { data, refresh } = useLoaded(serverApi.memory)
  if (!data?.enabled) return null
  const rows = data.files.map(file => ({
    key: file.path,
    name: file.path,
    about: formatBytes(file.bytes, locale),
    onRevoke: () => serverApi.forget(file.path),
  }))
  return (
    <Group title={a('memory.title')} note={a('memory.note')}>
      {rows.length === 0 ? (
        <p className="quiet">{a('memory.none')}</p>
      ) : (
        <RevocableList rows={rows} label={a('memory.delete')} onDone={refresh} />
      )}
    </Group>
  )
}
