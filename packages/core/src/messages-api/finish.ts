/** Stop reasons of the Messages API in our words. */
import type { Finish } from '../event.ts'

/** `calls` is the number of calls in the message: gateways report `end_turn` beside calls, and the calls decide. Pure. */
export function toMessagesFinish(reason: string, calls: number): Finish {
  switch (reason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length'
    case 'refusal':
      return 'refusal'
    case 'pause_turn':
      return 'pause'
    default:
      return calls > 0 ? 'tool_calls' : 'stop'
  }
}
