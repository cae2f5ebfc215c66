/** Sends a message together with the context that a tool's page set, in one message that users can read. */
import { type SendOptions, ToolwireError } from '@toolwire/client'
import type { ContentPart } from '@toolwire/core'
import { useSessionContext } from '@toolwire/react'
import { useCallback } from 'react'
import { useStrings } from '../strings/use-strings.ts'
import { contextOf, dropContext } from './page-context.ts'

/** The context is dropped once the server has the message. */
export function useSendWithContext(
  ifPaused: NonNullable<SendOptions['if_paused']>,
): (text: string) => Promise<unknown> {
  const { session } = useSessionContext()
  const { a } = useStrings()
  return useCallback(
    async (text: string) => {
      const context = contextOf(session.id)
      const message: string | readonly ContentPart[] = context
        ? [
            { type: 'text', text },
            { type: 'text', text: `From the page of ${context.server}:\n${context.text}` },
          ]
        : text
      try {
        await session.send(message, { if_paused: ifPaused })
      } catch (error) {
        throw error instanceof ToolwireError && error.code === 'network'
          ? new Error(a('error.network'), { cause: error })
          : error
      }
      if (context) dropContext(session.id, context)
    },
    [session, ifPaused, a],
  )
}
