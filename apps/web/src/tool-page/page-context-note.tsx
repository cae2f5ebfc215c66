/**
 * Context that a page adds to the next message, shown above the composer before it is sent, with a way to remove
 * it.
 */
import { useSessionContext } from '@toolwire/react'
import { useStrings } from '../strings/use-strings.ts'
import { dropContext, useContextOf } from './page-context.ts'

export function PageContextNote() {
  const { a } = useStrings()
  const { session } = useSessionContext()
  const context = useContextOf(session.id)
  if (!context) return null
  return (
    <div className="page-ask page-context" role="status">
      <p>
        <strong>{a('page.context', { server: context.server })}</strong>
        <code>{context.text}</code>
      </p>
      <button type="button" className="button small" onClick={() => dropContext(session.id, context)}>
        {a('page.context_drop')}
      </button>
    </div>
  )
}
