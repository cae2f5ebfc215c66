/** Asks what becomes of the changes that the replaced part of a conversation made. */
import type { BranchEffects } from '@toolwire/client'
import { composerLabels, effectGroups, type VersionRequest, type VersionState } from '@toolwire/core/parts'
import { useEffect, useRef } from 'react'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'

interface VersionChoiceProps {
  readonly request: VersionRequest<BranchEffects>
  readonly state: VersionState<BranchEffects>
  /** Called when the version was opened. */
  readonly onDone?: () => void
}

/** Draws the error of the request as well. */
export function VersionChoice({ request, state, onDone }: VersionChoiceProps) {
  const { t } = useSessionContext()
  const cwd = useView(view => view.info.cwd)
  const first = useRef<HTMLButtonElement>(null)
  const isChoosing = state.status === 'choosing'
  useEffect(() => {
    if (isChoosing) first.current?.focus()
  }, [isChoosing])
  if (state.status === 'idle' && state.error !== undefined)
    return (
      <p data-tw-part="error" role="alert">
        {state.error}
      </p>
    )
  if (state.status !== 'choosing') return null
  const labels = composerLabels(t)
  const choose = async (effects: 'keep' | 'restore') => {
    if (await request.choose(effects)) onDone?.()
  }
  return (
    <fieldset data-tw-part="version-choice" aria-label={labels.effects}>
      <p>{labels.effects}</p>
      {effectGroups(state.effects, labels, cwd).map(({ title, lines }) => (
        <div key={title} data-tw-part="effects">
          <strong>{title}</strong>
          <ul>
            {lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a finished list
              <li key={index}>{line}</li>
            ))}
          </ul>
        </div>
      ))}
      <div data-tw-part="form-actions">
        <button type="button" data-tw-part="back" onClick={request.cancel}>
          {t('common.cancel')}
        </button>
        {state.effects.files.length > 0 && (
          <button type="button" data-tw-part="restore" onClick={() => void choose('restore')}>
            {labels.restore}
          </button>
        )}
        <button type="button" data-tw-part="submit" ref={first} onClick={() => void choose('keep')}>
          {labels.keep}
        </button>
      </div>
    </fieldset>
  )
}
