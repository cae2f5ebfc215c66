/** Closes what a message left open: readers reject a chunk for a block that is still open in an earlier step. */
import type { Exchange, UiBlock, UiCall } from './ai-sdk-state.ts'
import type { CallFields, UiChunk } from './ui-chunk.ts'

export function closeBlocks(exchange: Exchange): readonly [ReadonlyMap<string, UiBlock>, readonly UiChunk[]] {
  const chunks = [...exchange.blocks.values()].flatMap(endOfBlock)
  return [new Map(), chunks]
}

/** Calls whose arguments never became whole: they will not run. */
export function closeCalls(exchange: Exchange): readonly [ReadonlyMap<string, UiCall>, readonly UiChunk[]] {
  const open = [...exchange.calls].filter(([, call]) => call.isShown && !call.isReady)
  const calls = new Map([...exchange.calls].filter(([, call]) => call.isReady || !call.isShown))
  return [calls, open.flatMap(([, call]) => failedInput(call, INTERRUPTED))]
}

const INTERRUPTED = 'The message was interrupted before this call was complete.'

export const endOfBlock = ({ kind, id, isHeld }: UiBlock): readonly UiChunk[] =>
  kind === 'tool' || isHeld ? [] : [{ type: `${kind}-end`, id }]

export const failedInput = (call: UiCall, errorText: string): readonly UiChunk[] =>
  call.isHeld
    ? [{ type: 'tool-output-error', errorText, ...fieldsOf(call) }]
    : [
        {
          type: 'tool-input-error',
          toolName: call.name,
          input: call.input_text,
          errorText,
          ...fieldsOf(call),
        },
      ]

/** A call that runs on the server counts as one that the provider runs: the page must not run or send it. */
export const fieldsOf = ({ call_id, isClient }: Pick<UiCall, 'call_id' | 'isClient'>): CallFields => ({
  toolCallId: call_id,
  dynamic: true,
  ...(isClient ? {} : { providerExecuted: true }),
})
