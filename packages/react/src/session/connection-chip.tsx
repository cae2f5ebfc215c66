/** Shows if the screen is up to date. */
import { useSessionContext } from './session-context.ts'
import { useConnection } from './use-session.ts'

export function ConnectionChip() {
  const { t } = useSessionContext()
  const { state, attempt, behind = 0, error } = useConnection()
  const shown = state === 'idle' ? 'connecting' : state
  const words = behind > 0 ? t('connection.behind', { n: behind }) : t(`connection.${shown}`, { n: attempt })
  return (
    <span
      data-tw-part="connection"
      data-state={shown}
      data-tw-state={shown}
      role="status"
      title={error?.message ?? words}
    >
      <i aria-hidden="true" />
      <span>{words}</span>
    </span>
  )
}
