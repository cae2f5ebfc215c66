/** Whether what is on the screen is the present. */
import { useSessionContext } from './session-context.ts'
import { useConnection } from './use-session.ts'

export function ConnectionChip() {
  const { t } = useSessionContext()
  const { state, attempt, error } = useConnection()
  const shown = state === 'idle' ? 'connecting' : state
  const words = t(`connection.${shown}`, { n: attempt })
  return (
    <span data-tw-part="connection" data-state={shown} role="status" title={error?.message ?? words}>
      <i aria-hidden="true" />
      <span>{words}</span>
    </span>
  )
}
