/** The permission mode of this session. The mode that allows everything asks first and stays visible. */
import { Icon, useSessionContext, useView } from '@toolwire/react'
import { useState } from 'react'
import { client } from '../client.ts'
import { Dialog } from '../dialog.tsx'
import { useStrings } from '../strings/use-strings.ts'

const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const
const BYPASS = 'bypassPermissions'

export function ModeSelect() {
  const { t, a } = useStrings()
  const mode = useView(view => view.info.permission_mode)
  const setMode = useSetMode()
  const [isConfirming, setConfirming] = useState(false)
  return (
    <>
      <select
        className="mode"
        data-mode={mode}
        aria-label={a('chat.mode')}
        title={a('chat.mode')}
        value={mode}
        onChange={({ target: { value } }) => (value === BYPASS ? setConfirming(true) : setMode(value))}
      >
        {MODES.map(name => (
          <option key={name} value={name}>
            {a(`mode.${name}`)}
          </option>
        ))}
      </select>
      <Dialog title={a('mode.confirm_title')} open={isConfirming} onClose={() => setConfirming(false)}>
        <p>{a('mode.confirm_text')}</p>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={() => setConfirming(false)}>
            {t('common.cancel')}
          </button>
          <button
            type="button"
            className="button danger"
            onClick={() => {
              setConfirming(false)
              setMode(BYPASS)
            }}
          >
            {a('mode.confirm')}
          </button>
        </div>
      </Dialog>
    </>
  )
}

/** Visible as long as the session allows everything. */
export function BypassBanner() {
  const { a } = useStrings()
  const isBypassed = useView(view => view.info.permission_mode === BYPASS)
  const setMode = useSetMode()
  if (!isBypassed) return null
  return (
    <div className="bypass-banner" role="status">
      <Icon name="triangle" />
      <span>{a('mode.banner')}</span>
      <button type="button" className="button small" onClick={() => setMode('default')}>
        {a('mode.ask_again')}
      </button>
    </div>
  )
}

function useSetMode(): (mode: string) => void {
  const { session } = useSessionContext()
  return mode => void client.sessions.update(session.id, { permission_mode: mode }).catch(() => {})
}
