/** The rules and grants that count in one session, or in a new one, each with a way to take it back. */
import { useCallback } from 'react'
import { type RuleJson, serverApi } from '../server-api.ts'
import { useWords } from '../strings/use-words.ts'
import { useLoaded } from '../use-loaded.ts'
import { type Revocable, RevocableList } from './revocable-list.tsx'

export function RuleList({ session }: { readonly session?: string | undefined }) {
  const { a } = useWords()
  const read = useCallback(() => serverApi.permissions(session), [session])
  const { data, error, refresh } = useLoaded(read)
  if (!data) return error === '' ? null : <p className="error">{error}</p>
  const rows = [...data.grants, ...data.rules].map(rule => toRow(rule, session))
  return (
    <>
      <p className="group-note">{a('permissions.note', { mode: modeWords(data.mode, a) })}</p>
      {rows.length === 0 ? (
        <p className="quiet">{a('permissions.none')}</p>
      ) : (
        <RevocableList rows={rows} label={a('permissions.revoke')} onDone={refresh} />
      )}
    </>
  )
}

const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const

function modeWords(mode: string, a: ReturnType<typeof useWords>['a']): string {
  const known = MODES.find(name => name === mode)
  return known ? a(`mode.${known}`) : mode
}

const toRow = (rule: RuleJson, session: string | undefined): Revocable => ({
  key: rule.id,
  name: rule.rule,
  about: <About rule={rule} />,
  ...(rule.revocable ? { onRevoke: () => serverApi.revoke(rule.id, session) } : {}),
})

function About({ rule }: { readonly rule: RuleJson }) {
  const { a, locale } = useWords()
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

/** The hour when it is today, and the day with it otherwise. */
function formatMoment(iso: string, locale: string): string {
  const moment = new Date(iso)
  const isToday = moment.toDateString() === new Date().toDateString()
  return moment.toLocaleString(locale, { timeStyle: 'short', ...(isToday ? {} : { dateStyle: 'medium' }) })
}
