/** The button that shows all of what is shown in part. */
import { useSessionContext } from '../session/session-context.ts'

export function ViewFull({ onClick }: { readonly onClick: () => void }) {
  const { t } = useSessionContext()
  return (
    <button type="button" data-tw-part="view-full" onClick={onClick}>
      {t('call.view_full')}
    </button>
  )
}
