/** Sends a message, and with it what a page wanted the model to know: in the same message, where everybody can read it. */
import { useSessionContext } from '@toolwire/react'
import { useCallback } from 'react'
import { contextOf, dropContext } from './page-context.ts'

/** What was taken along is forgotten when the server has the message. */
export function useSendWithContext(): (text: string) => Promise<unknown> {
  const { session } = useSessionContext()
  return useCallback(
    async (text: string) => {
      const context = contextOf(session.id)
      if (!context) return await session.send(text)
      const added = `From the page of ${context.server}:\n${context.text}`
      await session.send([
        { type: 'text', text },
        { type: 'text', text: added },
      ])
      return dropContext(session.id, context)
    },
    [session],
  )
}
