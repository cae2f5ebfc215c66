/** A call that was started under an earlier ownership of the session: a crash cut it off. */
import type { Recovery, Tool, ToolContext } from '@toolwire/core'
import { boundOutput, type OutputLimits } from '../bound-output.ts'
import { unknownOutcome } from '../tool-failure.ts'
import type { CallWork } from './call-context.ts'
import { forAssistant } from './run-call.ts'
import { type Terminal, toCompleted, toFailed } from './terminal.ts'

/**
 * Undefined when it may run again: it only reads, has no second effect, or the tool can prove that nothing happened.
 * Otherwise the terminal event, which says what is known. It is never run again on a guess.
 */
export async function recoverCall(
  tool: Tool,
  input: unknown,
  work: CallWork,
  limits: OutputLimits,
): Promise<Terminal | undefined> {
  if (tool.isReadOnly(input, work.context)) return undefined
  const found = await ask(tool, input, work)
  if (found.type === 'not_done') return undefined
  if (found.type === 'unknown' && isRepeatable(tool, input, work.context)) return undefined
  const duration = Math.max(0, Date.parse(work.voice.stamp().ts) - Date.parse(work.call.started?.ts ?? ''))
  if (found.type === 'unknown') return toFailed(work, unknownOutcome(found.message), duration)
  try {
    return toCompleted(work, await boundOutput(forAssistant(tool, found), work.context, limits), duration)
  } catch {
    return toFailed(work, unknownOutcome(), duration)
  }
}

/**
 * True if a second run of the call does no harm, whatever the outcome of the first. A tool that throws counts as
 * harmful.
 */
export function isRepeatable(tool: Tool, input: unknown, context: ToolContext): boolean {
  try {
    return tool.isReadOnly(input, context) || tool.isIdempotent?.(input, context) === true
  } catch {
    return false
  }
}

async function ask(tool: Tool, input: unknown, { context }: CallWork): Promise<Recovery> {
  try {
    return (await tool.recover?.(input, context)) ?? { type: 'unknown' }
  } catch {
    return { type: 'unknown' }
  }
}
