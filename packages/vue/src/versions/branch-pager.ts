/** Leads through the versions of a message. Only what follows it changes. */
import { composerLabels, fillLabel } from '@toolwire/core/parts'
import { branchOf } from '@toolwire/core/view'
import { defineComponent } from 'vue'
import { useSending } from '../approval/use-sending.ts'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'

export interface BranchPagerProps {
  /** Id of a message. */
  readonly message: string
}

/** Draws nothing for a message without other versions. Another version can be chosen while nothing runs. */
export const BranchPager = defineComponent(
  (props: BranchPagerProps) => {
    const { session, commands, t } = useSessionContext()
    const versions = useView(view => branchOf(view, { id: props.message }))
    const idle = useView(view => view.phase === 'idle')
    const { error, run } = useSending()
    const select = (step: 1 | -1) => {
      const id = versions.value?.ids[versions.value.index + step]
      if (id !== undefined) run(async () => await commands.value.selectBranch?.(session.value.id, id))
    }
    return () => {
      if (!versions.value) return null
      const labels = composerLabels(t.value)
      const { index, count, later } = versions.value
      const canSelect = idle.value && commands.value.selectBranch !== undefined
      const button = (part: string, label: string, by: 1 | -1, disabled: boolean) =>
        h(
          'button',
          {
            type: 'button',
            'data-tw-part': part,
            'aria-label': label,
            title: label,
            disabled: !canSelect || disabled,
            onClick: () => select(by),
          },
          [icon('chevron')],
        )
      return h('fieldset', { 'data-tw-part': 'branch-pager', 'aria-label': labels.versions }, [
        button('branch-previous', labels.previous, -1, index === 0),
        h(
          'span',
          { 'data-tw-part': 'branch-position', role: 'status' },
          fillLabel(labels.version, { n: index + 1, m: count }),
        ),
        button('branch-next', labels.next, 1, index === count - 1),
        later > 0
          ? h('span', { 'data-tw-part': 'branch-later' }, fillLabel(labels.later, { n: later }))
          : null,
        error.value === '' ? null : h('span', { 'data-tw-part': 'error', role: 'alert' }, error.value),
      ])
    }
  },
  { name: 'BranchPager', props: ['message'] },
)
