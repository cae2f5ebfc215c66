/** Calls that a client runs: handed over as an event, ended by its answer, which is another one. */
import { denied } from '../tool-failure.ts'
import { type Expiry, laterBy } from './approval.ts'
import type { CallWork } from './call-context.ts'
import { type Terminal, toCompleted, toFailed } from './terminal.ts'

/** The end that the client's answer gives the call; undefined without one. */
export function settledByClient(work: CallWork): Terminal | undefined {
  const answer = work.call.client?.answer
  if (!answer) return undefined
  if (answer.expired) return toFailed(work, denied('expired', 'Nobody answered this call in time.'))
  const { content, is_error } = answer
  const output_text = answer.output_text || (content?.length ? '' : '(no output)')
  return toCompleted(work, { output_text, is_error, ...(content ? { content } : {}) }, 0)
}

/** Commits the request; the call waits from then on. `problem` is the validation error of its arguments. */
export async function requestClient(
  { call, voice }: CallWork,
  expiry: Expiry,
  problem: string | undefined,
): Promise<undefined> {
  const { call_id, name, input_text } = call
  const stamp = voice.stamp()
  const deadline = laterBy(stamp.ts, expiry.client_ms)
  const asked = { type: 'tool.client_requested', ...stamp, call_id, name, input_text, deadline } as const
  await voice.commit(problem === undefined ? asked : { ...asked, problem })
}
