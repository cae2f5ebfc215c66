/** Leads through the versions of a message. Only what follows it changes. */
import { composerLabels, fillLabel } from '@toolwire/core/parts'
import { branchOf, type MessageBranch } from '@toolwire/core/view'
import { useRef } from 'react'
import { useSending } from '../approval/use-sending.ts'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { Icon } from '../shared/icon.tsx'

export interface BranchPagerProps {
  /** Id of a message. */
  readonly message: string
}

/** Draws nothing for a message without other versions. Another version can be chosen while nothing runs. */
export function BranchPager({ message }: BranchPagerProps) {
  const { session, commands, t } = useSessionContext()
  const versions = useVersions(message)
  const idle = useView(view => view.phase === 'idle')
  const { error, run } = useSending()
  if (!versions) return null
  const labels = composerLabels(t)
  const { index, count, ids, later } = versions
  const select = (step: 1 | -1) => {
    const id = ids[index + step]
    if (id !== undefined) run(async () => await commands.selectBranch?.(session.id, id))
  }
  const canSelect = idle && commands.selectBranch !== undefined
  return (
    <fieldset data-tw-part="branch-pager" aria-label={labels.versions}>
      <button
        type="button"
        data-tw-part="branch-previous"
        aria-label={labels.previous}
        title={labels.previous}
        disabled={!canSelect || index === 0}
        onClick={() => select(-1)}
      >
        <Icon name="chevron" />
      </button>
      <span data-tw-part="branch-position" role="status">
        {fillLabel(labels.version, { n: index + 1, m: count })}
      </span>
      <button
        type="button"
        data-tw-part="branch-next"
        aria-label={labels.next}
        title={labels.next}
        disabled={!canSelect || index === count - 1}
        onClick={() => select(1)}
      >
        <Icon name="chevron" />
      </button>
      {later > 0 && <span data-tw-part="branch-later">{fillLabel(labels.later, { n: later })}</span>}
      {error !== '' && (
        <span data-tw-part="error" role="alert">
          {error}
        </span>
      )}
    </fieldset>
  )
}

/** The same object until a version is added or another one is shown. */
function useVersions(id: string): MessageBranch | undefined {
  const last = useRef<MessageBranch | undefined>(undefined)
  return useView(view => {
    const found = branchOf(view, { id })
    if (JSON.stringify(found) !== JSON.stringify(last.current)) last.current = found
    return last.current
  })
}
