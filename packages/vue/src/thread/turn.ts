/** One exchange: the question, everything done about it, how it ended and what it took. */
import { answerOf, findTurn, isActive } from '@toolwire/core/parts'
import { type TurnView, turnElapsedMs } from '@toolwire/core/view'
import { defineComponent } from 'vue'
import { useSessionContext } from '../session/session-context.ts'
import { StatsBar } from '../session/stats-bar.ts'
import { useView } from '../session/use-session.ts'
import { h } from '../shared/h.ts'
import { useNow } from '../shared/use-now.ts'
import { BranchPager } from '../versions/branch-pager.ts'
import { Regenerate } from '../versions/regenerate.ts'
import { CopyAnswer, Message } from './message.ts'

/** Slot `actions` with `turn`: further buttons below a finished exchange. */
export const Turn = defineComponent(
  (props: { readonly id: string }, { slots }) => {
    const found = useView(view => findTurn(view, props.id))
    return () => {
      const turn = found.value
      if (!turn) return null
      return h(
        'section',
        {
          'data-tw-part': 'turn',
          'data-state': turn.state,
          'data-tw-state': turn.state,
          'data-turn-id': turn.id,
        },
        [...turn.messages.map(id => h(Message, { key: id, id })), h(TurnEnd, { id: turn.id }, slots)],
      )
    }
  },
  { name: 'Turn', props: ['id'] },
)

/** The end of an exchange: activity, outcome, totals. For lists that place messages themselves. */
export const TurnEnd = defineComponent(
  (props: { readonly id: string }, { slots }) => {
    const { t } = useSessionContext()
    const found = useView(view => findTurn(view, props.id))
    const answer = useView(view => answerOf(view, props.id))
    const ending = (turn: TurnView) => {
      switch (turn.state) {
        case 'running':
          return h(Working, { turn })
        case 'failed':
          return h('div', { 'data-tw-part': 'turn-error', role: 'alert' }, [
            h('strong', t.value('turn.failed')),
            h('p', turn.error?.message),
          ])
        case 'cancelled':
          return h('p', { 'data-tw-part': 'note' }, t.value('turn.cancelled'))
        case 'completed':
        case 'paused':
          return null
      }
    }
    return () => {
      const turn = found.value
      if (!turn) return null
      const ended = turn.state !== 'running' && turn.state !== 'paused'
      return [
        ending(turn),
        ended
          ? h('footer', { 'data-tw-part': 'turn-footer' }, [
              h(StatsBar, { stats: turn.stats }),
              h('span', { 'data-tw-part': 'turn-actions' }, [
                answer.value === undefined ? null : h(BranchPager, { message: answer.value }),
                h(CopyAnswer, { messages: turn.messages }),
                h(Regenerate, { message: turn.messages[0] ?? '' }),
                slots['actions']?.({ turn }),
              ]),
            ])
          : null,
      ]
    }
  },
  { name: 'TurnEnd', props: ['id'] },
)

/** Shown while nothing else on the screen moves: between a question and the first word. */
const Working = defineComponent(
  (props: { readonly turn: TurnView }) => {
    const { t, clock } = useSessionContext()
    const quiet = useView(view => !isActive(view))
    const now = useNow(() => true, clock)
    return () => {
      const { turn } = props
      if (!quiet.value && turn.attempt < 2) return null
      const seconds = Math.floor(turnElapsedMs(turn, now.value) / 1000)
      return h('p', { 'data-tw-part': 'working' }, [
        h('span', { 'data-tw-part': 'dots', 'aria-hidden': 'true' }, [h('i'), h('i'), h('i')]),
        turn.attempt > 1 ? t.value('turn.retrying', { n: turn.attempt }) : t.value('turn.running'),
        seconds > 3 ? h('span', { 'data-tw-part': 'elapsed' }, `${seconds} s`) : null,
      ])
    }
  },
  { name: 'Working', props: ['turn'] },
)
