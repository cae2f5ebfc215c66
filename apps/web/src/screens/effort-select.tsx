/** The effort of thinking in this session, and the choice of another one. */
import { EFFORTS, type Effort } from '@toolwire/core'
import { useSessionContext, useView } from '@toolwire/react'
import { client } from '../client.ts'
import { useStrings } from '../strings/use-strings.ts'
import { useModels } from '../use-models.ts'

/** Nothing for a model that cannot think. */
export function EffortSelect() {
  const { a } = useStrings()
  const { session } = useSessionContext()
  const model = useView(view => view.info.model)
  const effort = useEffort()
  const levels = useModels(model).find(({ id }) => id === model)?.efforts ?? []
  if (levels.length === 0) return null
  const choices = EFFORTS.filter(name => name === 'auto' || name === effort || levels.includes(name))
  return (
    <select
      className="model"
      aria-label={a('chat.effort')}
      title={a('chat.effort')}
      value={effort}
      onChange={event =>
        void client.sessions.update(session.id, { effort: event.target.value as Effort }).catch(() => {})
      }
    >
      {choices.map(name => (
        <option key={name} value={name}>
          {a(`effort.${name}`)}
        </option>
      ))}
    </select>
  )
}

/** Sessions of older servers have none; theirs is the default. */
export function useEffort(): Effort {
  const effort = useView(view => view.info.effort)
  return EFFORTS.find(name => name === effort) ?? 'auto'
}
