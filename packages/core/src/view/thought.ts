/** Thoughts in the form of a call: they are shown as thinking, and a call that waits or failed as a call. */
import { textArgument } from './tools/call-input.ts'
import { type BlockView, type CallView, isFinal, type SessionView } from './view.ts'

const SHOWN: ReadonlySet<CallView['state']> = new Set([
  'building',
  'queued',
  'executing',
  'cancelling',
  'success',
  'cancelled',
])

export const isThought = ({ name, state }: CallView): boolean => name === 'Think' && SHOWN.has(state)

/** The call as a block of thinking; undefined for any other call. */
export const thoughtBlock = (call: CallView): BlockView | undefined =>
  isThought(call)
    ? {
        id: call.id,
        message: call.message,
        kind: 'thinking',
        state: isFinal(call.state) ? 'complete' : 'streaming',
        text: textArgument(call, 'thought'),
        call: call.id,
        started_at: call.created_at,
      }
    : undefined

/** The text of a thinking block or of a thought; undefined for any other block. */
export function thinkingText(view: SessionView, block: BlockView): string | undefined {
  if (block.kind === 'thinking') return block.text
  const call = view.calls.get(block.call ?? '')
  return call && thoughtBlock(call)?.text
}
