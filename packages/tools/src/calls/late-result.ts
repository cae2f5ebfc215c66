/**
 * The result of a call that came after its end: it took longer to stop than the grace period, or it was closed
 * first. It is recorded for users; the model never gets it, because the call has had its one result.
 */
import type { ToolStep } from '@toolwire/core'
import { cutMiddle } from '@toolwire/core'
import type { CallWork } from './call-context.ts'
import type { Terminal } from './terminal.ts'

/** The latest one is in the session's state; all of them are in its log. */
const LATE_NOTE = 'late_result'
const MAX_TEXT = 10_000

/** Reads a tool that was left behind to its end. Never throws, and waits for as long as the tool does. */
export async function awaitLateResult(
  iterator: AsyncIterator<ToolStep>,
  pending: Promise<IteratorResult<ToolStep>>,
  work: CallWork,
): Promise<void> {
  try {
    for (let step = await pending; !step.done; step = await iterator.next()) {
      const { value } = step
      if (value.type === 'result')
        return await record(work, { output_text: value.output_text, is_error: value.is_error ?? false })
      if (value.type === 'failure') return await record(work, { output_text: value.message, is_error: true })
      if (value.type === 'suspended') return
    }
  } catch (error) {
    await record(work, {
      output_text: error instanceof Error ? error.message : String(error),
      is_error: true,
    })
  }
}

/** The end of a call that has another one already. Never throws. */
export async function recordLate(work: CallWork, terminal: Terminal): Promise<void> {
  const is_error = terminal.type === 'tool.failed' || terminal.is_error
  await record(work, { output_text: terminal.output_text, is_error })
}

interface Late {
  readonly output_text: string
  readonly is_error: boolean
}

async function record({ call, voice }: CallWork, { output_text, is_error }: Late): Promise<void> {
  const { call_id, name } = call
  const value = { call_id, name, output_text: cutMiddle(output_text, MAX_TEXT), is_error }
  try {
    await voice.record?.({ type: 'note', ...voice.stamp(), name: LATE_NOTE, value })
  } catch {
    // The log cannot be written any more: whoever needs the result reads what the tool itself has left.
  }
}
