/** States what a message does to the requests that wait, and lets the user choose. */
import { usePending, useView } from '@toolwire/react'
import { useStrings } from '../strings/use-strings.ts'

export type IfPaused = 'supersede' | 'queue'

const CHOICES: readonly IfPaused[] = ['supersede', 'queue']

export interface PendingNoteProps {
  readonly value: IfPaused
  readonly onChange: (value: IfPaused) => void
}

export function PendingNote({ value, onChange }: PendingNoteProps) {
  const { a } = useStrings()
  const isPaused = useView(view => view.phase === 'paused')
  const n = usePending().length
  if (!isPaused || n === 0) return null
  return (
    <label className="pending-note">
      <span>{a('pending.note')}</span>
      <select value={value} onChange={event => onChange(event.target.value as IfPaused)}>
        {CHOICES.map(choice => (
          <option key={choice} value={choice}>
            {a(`pending.${choice}`, { n })}
          </option>
        ))}
      </select>
    </label>
  )
}
