/** The agents that a call started: their task, what they say and call, their result. */
import { shortText } from '@toolwire/core/parts'
import type { CallView } from '@toolwire/core/view'
import { defineComponent } from 'vue'
import { LongText } from '../output/long-text.ts'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { h } from '../shared/h.ts'

export interface AgentThreadProps {
  readonly call: CallView
  readonly prompt: string
  readonly text: string
  /** The whole task, however long it is. */
  readonly full?: boolean
}

export const AgentThread = defineComponent(
  (props: AgentThreadProps) => () =>
    h('div', { 'data-tw-part': 'agents' }, [
      props.prompt === ''
        ? null
        : h('p', { 'data-tw-part': 'prompt' }, props.full ? props.prompt : shortText(props.prompt)),
      ...props.call.agents.map(id => h(Agent, { key: id, id })),
      props.call.agents.length === 0 && props.text !== ''
        ? h(LongText, { text: props.text, name: props.call.name })
        : null,
    ]),
  { name: 'AgentThread', props: ['call', 'prompt', 'text', 'full'] },
)

const Agent = defineComponent(
  (props: { readonly id: string }) => {
    const { t, Message } = useSessionContext()
    const found = useView(view => view.agents.get(props.id))
    return () => {
      const agent = found.value
      if (!agent) return null
      const title = t.value('agent.title', { name: agent.name })
      return h(
        'section',
        {
          'data-tw-part': 'agent',
          'data-state': agent.state,
          'data-tw-state': agent.state,
          'aria-label': title,
        },
        [
          h('header', [h('strong', title), h('span', t.value(`agent.${agent.state}`))]),
          ...agent.messages.map(id => h(Message, { key: id, id })),
          agent.error ? h('p', { 'data-tw-part': 'error' }, shortText(agent.error.message)) : null,
        ],
      )
    }
  },
  { name: 'Agent', props: ['id'] },
)
