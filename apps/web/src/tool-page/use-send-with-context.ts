/** Sends a message together with the context that a tool's page set, in one message that users can read. */
import { type SendOptions, ToolwireError } from '@toolwire/client'
import { type ComposerProps, useSessionContext } from '@toolwire/react'
import { useCallback } from 'react'
import { useStrings } from '../strings/use-strings.ts'
import { contextOf, dropContext } from './page-context.ts'

/** The context is dropped once the server has the message. */
export function useSendWithContext(
  ifPaused: NonNullable<SendOptions['if_paused']>,
): NonNullable<ComposerProps['onSend']> {
  const { session } = useSessionContext()
  const { a } = useStrings()
  return useCallback(
    async (_text, content, { steers }) => {
      const context = contextOf(session.id)
      const written = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content
      const message = context
        ? [
            ...written,
            { type: 'text', text: `From the page of ${context.server}:\n${context.text}` } as const,
          ]
        : content
      try {
        await session.send(message, {
          if_paused: ifPaused,
          ...(steers ? { when_running: 'steer' as const } : {}),
        })
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
