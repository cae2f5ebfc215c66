/** What tools may do in this session without asking. */
import { useSessionContext, useView } from '@toolwire/react'
import { client } from '../client.ts'
import { useWords } from '../strings/use-words.ts'

const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const

export function ModeSelect() {
  const { a } = useWords()
  const { session } = useSessionContext()
  const mode = useView(view => view.info.permission_mode)
  return (
    <select
      className="mode"
      data-mode={mode}
      aria-label={a('chat.mode')}
      title={a('chat.mode')}
      value={mode}
      onChange={event =>
        void client.sessions.update(session.id, { permission_mode: event.target.value }).catch(() => {})
      }
    >
      {MODES.map(name => (
        <option key={name} value={name}>
          {a(`mode.${name}`)}
        </option>
      ))}
    </select>
  )
}
