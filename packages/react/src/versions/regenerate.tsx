/** Asks for another answer to a message. The earlier one stays as a version. */
import type { BranchEffects } from '@toolwire/client'
import { composerLabels, VersionRequest } from '@toolwire/core/parts'
import { useState } from 'react'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { Icon } from '../shared/icon.tsx'
import { useStore } from '../shared/use-store.ts'
import { VersionChoice } from './version-choice.tsx'

export interface RegenerateProps {
  /** Id of the question, or of its answer. */
  readonly message: string
}

/** Draws nothing where the commands cannot do it. Disabled while something runs. */
export function Regenerate({ message }: RegenerateProps) {
  const { session, commands, t } = useSessionContext()
  const [request] = useState(() => new VersionRequest<BranchEffects>())
  const state = useStore(request)
  const isRunning = useView(view => view.phase === 'running')
  const { regenerate } = commands
  if (!regenerate) return null
  const onClick = () =>
    void request.start(effects => regenerate(session.id, { message_id: message, effects }))
  return (
    <>
      <button
        type="button"
        data-tw-part="regenerate"
        disabled={isRunning || state.status !== 'idle'}
        onClick={onClick}
      >
        <Icon name="repeat" />
        <span>{composerLabels(t).regenerate}</span>
      </button>
      <VersionChoice request={request} state={state} />
    </>
  )
}
