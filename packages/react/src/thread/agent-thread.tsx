/** The agents that a call started: their task, what they say and call, their result. */
import { shortText } from '@toolwire/core/parts'
import type { AgentView, CallView } from '@toolwire/core/view'
import { LongText } from '../output/long-text.tsx'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'

export interface AgentThreadProps {
  readonly call: CallView
  readonly prompt: string
  readonly text: string
  /** The whole task, however long it is. */
  readonly full?: boolean
}

export function AgentThread({ call, prompt, text, full = false }: AgentThreadProps) {
  return (
    <div data-tw-part="agents">
      {prompt !== '' && <p data-tw-part="prompt">{full ? prompt : shortText(prompt)}</p>}
      {call.agents.map(id => (
        <Agent key={id} id={id} />
      ))}
      {call.agents.length === 0 && text !== '' && <LongText text={text} name={call.name} />}
    </div>
  )
}

function Agent({ id }: { readonly id: string }) {
  const { t, Message } = useSessionContext()
  const agent: AgentView | undefined = useView(view => view.agents.get(id))
  if (!agent) return null
  return (
    <section
      data-tw-part="agent"
      data-state={agent.state}
      data-tw-state={agent.state}
      aria-label={t('agent.title', { name: agent.name })}
    >
      <header>
        <strong>{t('agent.title', { name: agent.name })}</strong>
        <span>{t(`agent.${agent.state}`)}</span>
      </header>
      {agent.messages.map(message => (
        <Message key={message} id={message} />
      ))}
      {agent.error && <p data-tw-part="error">{shortText(agent.error.message)}</p>}
    </section>
  )
}
