/** Asks for another answer to a message. The earlier one stays as a version. */
import type { BranchEffects } from '@toolwire/client'
import { composerLabels, VersionRequest } from '@toolwire/core/parts'
import { defineComponent } from 'vue'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'
import { useStore } from '../shared/use-store.ts'
import { VersionChoice } from './version-choice.ts'

export interface RegenerateProps {
  /** Id of the question, or of its answer. */
  readonly message: string
}

/** Draws nothing where the commands cannot do it. Disabled while something runs. */
export const Regenerate = defineComponent(
  (props: RegenerateProps) => {
    const { session, commands, t } = useSessionContext()
    const request = new VersionRequest<BranchEffects>()
    const state = useStore(() => request)
    const isRunning = useView(view => view.phase === 'running')
    return () => {
      const { regenerate } = commands.value
      if (!regenerate) return null
      const current = state.value ?? request.getSnapshot()
      const onClick = () =>
        void request.start(effects => regenerate(session.value.id, { message_id: props.message, effects }))
      return [
        h(
          'button',
          {
            type: 'button',
            'data-tw-part': 'regenerate',
            disabled: isRunning.value || current.status !== 'idle',
            onClick,
          },
          [icon('repeat'), h('span', composerLabels(t.value).regenerate)],
        ),
        h(VersionChoice, { request, state: current }),
      ]
    }
  },
  { name: 'Regenerate', props: ['message'] },
)
