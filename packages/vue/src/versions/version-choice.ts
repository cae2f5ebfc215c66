/** Asks what becomes of the changes that the replaced part of a conversation made. */
import type { BranchEffects } from '@toolwire/client'
import { composerLabels, effectGroups, type VersionRequest, type VersionState } from '@toolwire/core/parts'
import { defineComponent, nextTick, shallowRef, watch } from 'vue'
import { alertText } from '../approval/use-sending.ts'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { h } from '../shared/h.ts'

interface VersionChoiceProps {
  readonly request: VersionRequest<BranchEffects>
  readonly state: VersionState<BranchEffects>
  /** Called when the version was opened. */
  readonly onDone?: () => void
}

/** Draws the error of the request as well. */
export const VersionChoice = defineComponent(
  (props: VersionChoiceProps) => {
    const { t } = useSessionContext()
    const cwd = useView(view => view.info.cwd)
    const first = shallowRef<HTMLElement | null>(null)
    watch(
      () => props.state.status === 'choosing',
      isChoosing => isChoosing && void nextTick(() => first.value?.focus()),
    )
    const choose = async (effects: 'keep' | 'restore') => {
      if (await props.request.choose(effects)) props.onDone?.()
    }
    const button = (part: string, label: string, onClick: () => void) =>
      h('button', { type: 'button', 'data-tw-part': part, onClick }, label)
    return () => {
      const { state, request } = props
      if (state.status === 'idle') return alertText(state.error ?? '')
      if (state.status !== 'choosing') return null
      const labels = composerLabels(t.value)
      return h('fieldset', { 'data-tw-part': 'version-choice', 'aria-label': labels.effects }, [
        h('p', labels.effects),
        ...effectGroups(state.effects, labels, cwd.value).map(({ title, lines }) =>
          h('div', { key: title, 'data-tw-part': 'effects' }, [
            h('strong', title),
            h(
              'ul',
              lines.map((line, index) => h('li', { key: index }, line)),
            ),
          ]),
        ),
        h('div', { 'data-tw-part': 'form-actions' }, [
          button('back', t.value('common.cancel'), request.cancel),
          state.effects.files.length > 0
            ? button('restore', labels.restore, () => void choose('restore'))
            : null,
          h(
            'button',
            { type: 'button', 'data-tw-part': 'submit', ref: first, onClick: () => void choose('keep') },
            labels.keep,
          ),
        ]),
      ])
    }
  },
  { name: 'VersionChoice', props: ['request', 'state', 'onDone'] },
)
