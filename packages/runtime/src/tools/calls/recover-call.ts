/** A call that was started under an earlier ownership of the session: a crash cut it off. */
import type { Tool } from '@toolwire/core'
import { boundOutput, type OutputLimits } from '../bound-output.ts'
import { unknownOutcome } from '../tool-failure.ts'
import type { CallWork } from './call-context.ts'
import { type Terminal, toCompleted, toFailed } from './terminal.ts'

/**
 * Undefined when it may run again: it only reads, or the tool can prove that nothing happened.
 * Otherwise the terminal event, which says what is known. It is never run again on a guess.
 */
export async function recoverCall(
  tool: Tool,
  input: unknown,
  work: CallWork,
  limits: OutputLimits,
): Promise<Terminal | undefined> {
  if (tool.isReadOnly(input, work.context)) return undefined
  const duration = Math.max(0, Date.parse(work.voice.stamp().ts) - Date.parse(work.call.started?.ts ?? ''))
  try {
    const found = (await tool.recover?.(input, work.context)) ?? { type: 'unknown' as const }
    switch (found.type) {
      case 'not_done':
        return undefined
      case 'done':
        return toCompleted(work, await boundOutput(found, work.context, limits), duration)
      case 'unknown':
        return toFailed(work, unknownOutcome(found.message), duration)
    }
  } catch {
    return toFailed(work, unknownOutcome(), duration)
  }
}
