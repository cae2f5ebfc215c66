/** The rules and grants that count in one session, or in a new one, each with a way to change it and to take it back. */
import { useCallback, useState } from 'react'
import { AppIcon } from '../app-icon.tsx'
import { type RuleJson, serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { useLoaded } from '../use-loaded.ts'
import { formatMoment } from './format-moment.ts'
import { type Revocable, RevocableList } from './revocable-list.tsx'
import { RuleEditor } from './rule-editor.tsx'

export function RuleList({ session }: { readonly session?: string | undefined }) {
  const { a } = useStrings()
  const read = useCallback(() => serverApi.permissions(session), [session])
  const { data, error, refresh } = useLoaded(read)
  const [editing, setEditing] = useState<RuleJson | 'new'>()
  if (!data) return error === '' ? null : <p className="error">{error}</p>
  const rows = [...data.grants, ...data.rules].map(rule => toRow(rule, session, () => setEditing(rule)))
  const saved = () => {
    setEditing(undefined)
    refresh()
  }
  return (
    <>
      <p className="group-note">{a('permissions.note', { mode: modeWords(data.mode, a) })}</p>
      {rows.length === 0 ? (
        <p className="quiet">{a('permissions.none')}</p>
      ) : (
        <RevocableList
          rows={rows}
          label={a('permissions.revoke')}
          editLabel={a('rule.change')}
          onDone={refresh}
        />
      )}
      {editing === undefined ? (
        <button type="button" className="button add-rule" onClick={() => setEditing('new')}>
          <AppIcon name="plus" />
          <span>{a('rule.add')}</span>
        </button>
      ) : (
        <RuleEditor
          key={editing === 'new' ? '' : editing.id}
          rule={editing === 'new' ? undefined : editing}
          session={session}
          workspace={data.workspace}
          onSaved={saved}
          onCancel={() => setEditing(undefined)}
        />
      )}
    </>
  )
}

const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const

function modeWords(mode: string, a: ReturnType<typeof useStrings>['a']): string {
  const known = MODES.find(name => name === mode)
  return known ? a(`mode.${known}`) : mode
}

const toRow = (rule: RuleJson, session: string | undefined, onEdit: () => void): Revocable => ({
  key: rule.id,
  name: rule.rule,
  about: <About rule={rule} />,
  ...(rule.revocable ? { onEdit, onRevoke: () => serverApi.revoke(rule.id, session) } : {}),
})

function About({ rule }: { readonly rule: RuleJson }) {
  const { a, locale } = useStrings()
  return (
    <>
      <em data-effect={rule.decision}>{a(`permissions.${rule.decision}`)}</em>
      {rule.source === 'session' ? a('permissions.session') : rule.source}
      {rule.expires_at !== undefined && (
        <time dateTime={rule.expires_at}>
          {' · '}
          {a('permissions.until', { time: formatMoment(rule.expires_at, locale) })}
        </time>
      )}
    </>
  )
}
