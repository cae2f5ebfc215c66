/** The question of a repeating call: continue or stop. */
import type { CallQuestion, CallState } from '@toolwire/core'

const STOP = 'Stop'
const OPTIONS = [
  { label: 'Continue', description: 'Run the call again' },
  { label: STOP, description: 'Do not run it, and end the work here' },
]

export const toLoopQuestion = (name: string, times: number): CallQuestion => ({
  message: `${name} was called ${times} times with the same arguments and gave the same result each time. Continue?`,
  options: OPTIONS,
  details: { loop: { times } },
})

type LoopApproval = NonNullable<CallState['approval']>

/** True for this question, and not one that the tool itself or a rule asked. */
export const isLoopQuestion = ({ kind, details }: LoopApproval): boolean =>
  kind === 'question' && typeof details === 'object' && details !== null && 'loop' in details

/** The user's answer to it: undefined without one, or if it was another question. */
export function loopAnswer({ approval }: CallState): 'continue' | 'stop' | undefined {
  if (!approval?.decision || !isLoopQuestion(approval)) return undefined
  const stopped = approval.decision !== 'approved' || /\bstop\b/i.test(approval.answer_text ?? '')
  return stopped ? 'stop' : 'continue'
}
