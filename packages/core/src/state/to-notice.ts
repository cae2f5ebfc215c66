/** Words of the server for the model, as a message that starts no run. */
import type { EventOf } from '../event.ts'
import type { QueuedMessage } from './state.ts'

/** The text goes to the model behind the results that it meets. */
export const toNotice = (
  { ts, text }: Pick<EventOf<'context.changed'>, 'ts' | 'text'>,
  seq: number,
): QueuedMessage => ({
  seq,
  event: {
    type: 'input.message',
    ts,
    message_id: `context_${seq}`,
    role: 'system',
    content: [{ type: 'text', text }],
    if_paused: 'join',
  },
})
