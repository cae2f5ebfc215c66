/** One decision for several approvals of any sessions: every line is shown in full, and nothing is selected at first. */
import { countByName, markControls } from '@toolwire/core/parts'
import type { InboxItem } from '@toolwire/react'
import { useState } from 'react'
import { client } from '../client.ts'
import { Dialog } from '../dialog.tsx'
import { useStrings } from '../strings/use-strings.ts'
import { errorText } from '../use-loaded.ts'

export interface BulkDecisionProps {
  readonly items: readonly InboxItem[]
  readonly onDecided: () => void
}

export function BulkDecision({ items, onDecided }: BulkDecisionProps) {
  const { a } = useStrings()
  const [open, setOpen] = useState(false)
  const approvals = items.filter(item => item.kind === 'approval')
  if (approvals.length < 2) return null
  return (
    <div className="bulk-bar">
      <span>
        <strong>{a('inbox.approvals', { n: approvals.length })}</strong> {countByName(approvals)}
      </span>
      <button type="button" className="button small" onClick={() => setOpen(true)}>
        {a('inbox.together')}
      </button>
      <Dialog title={a('inbox.together')} open={open} onClose={() => setOpen(false)} wide>
        <Lines
          items={approvals}
          onDone={() => {
            setOpen(false)
            onDecided()
          }}
        />
      </Dialog>
    </div>
  )
}

interface BulkLinesProps {
  readonly items: readonly InboxItem[]
  readonly onDone: () => void
}

function Lines({ items, onDone }: BulkLinesProps) {
  const { a } = useStrings()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [failed, setFailed] = useState<ReadonlyMap<string, string>>(new Map())
  const [reason, setReason] = useState('')
  const [sending, setSending] = useState(false)
  // Arguments that the list holds in part are decided where all of them can be read.
  const selectable = items.filter(item => item.input_cut !== true)
  const selected = selectable.filter(item => chosen.has(item.id))
  const n = selected.length
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  const decide = async (act: (id: string) => Promise<unknown>) => {
    setSending(true)
    const problems = new Map<string, string>()
    await Promise.all(
      selected.map(({ id }) => act(id).catch((thrown: unknown) => problems.set(id, errorText(thrown)))),
    )
    setSending(false)
    setFailed(problems)
    setChosen(new Set(problems.keys()))
    if (problems.size === 0) onDone()
  }
  return (
    <fieldset className="bulk" disabled={sending}>
      <legend>{a('inbox.bulk_note')}</legend>
      <label className="bulk-all">
        <input
          type="checkbox"
          checked={n > 0 && n === selectable.length}
          onChange={event => setChosen(new Set(event.target.checked ? selectable.map(({ id }) => id) : []))}
        />
        {a('inbox.select_all')}
      </label>
      <ul className="plain-list">
        {items.map(item => (
          <li key={item.id}>
            <label>
              <input
                type="checkbox"
                disabled={item.input_cut === true}
                checked={chosen.has(item.id)}
                onChange={() => toggle(item.id)}
              />
              <strong>{item.name}</strong>
              <code>{markControls(item.input_text)}</code>
            </label>
            {item.message !== undefined && <small>{markControls(item.message)}</small>}
            {item.input_cut && <small className="changed-note">{a('inbox.separately')}</small>}
            {failed.has(item.id) && (
              <small className="error" role="alert">
                {failed.get(item.id)}
              </small>
            )}
          </li>
        ))}
      </ul>
      <label className="field">
        <span>{a('inbox.reason')}</span>
        <input value={reason} maxLength={1000} onChange={event => setReason(event.target.value)} />
      </label>
      <div className="dialog-actions">
        <button
          type="button"
          className="button"
          disabled={n === 0}
          onClick={() => void decide(id => client.deny(id, reason.trim() || undefined))}
        >
          {a('inbox.deny', { n })}
        </button>
        <button
          type="button"
          className="button primary"
          disabled={n === 0}
          onClick={() => void decide(id => client.approve(id))}
        >
          {a('inbox.allow', { n })}
        </button>
      </div>
    </fieldset>
  )
}
