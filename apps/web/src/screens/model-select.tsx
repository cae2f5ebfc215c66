/** The model that answers in this session, and the choice of another. */
import { useSessionContext, useView } from '@toolwire/react'
import { client } from '../client.ts'
import { useStrings } from '../strings/use-strings.ts'
import { useModels } from '../use-models.ts'

/** A name only, where the server has no other model to offer. */
export function ModelSelect() {
  const { a } = useStrings()
  const { session } = useSessionContext()
  const model = useView(view => view.info.model)
  const models = useModels(model)
  if (model === '') return null
  if (models.length < 2) return <span className="model">{model}</span>
  return (
    <select
      className="model"
      aria-label={a('chat.model')}
      title={a('chat.model')}
      value={model}
      onChange={event =>
        void client.sessions.update(session.id, { model: event.target.value }).catch(() => {})
      }
    >
      {models.map(({ id }) => (
        <option key={id}>{id}</option>
      ))}
    </select>
  )
}
