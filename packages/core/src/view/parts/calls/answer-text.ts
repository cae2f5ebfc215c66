/** The text copied as "the answer". */
import { blocksOf, messagesOf } from '../../select.ts'
import type { SessionView } from '../../view.ts'

/** Everything the assistant wrote in these messages, without thinking and calls; '' when there is nothing. */
export const answerText = (view: SessionView, messages: readonly string[]): string =>
  messagesOf(view, { messages })
    .filter(message => message.role === 'assistant')
    .flatMap(message => blocksOf(view, message))
    .filter(block => block.kind === 'text')
    .map(block => block.text)
    .join('\n\n')
