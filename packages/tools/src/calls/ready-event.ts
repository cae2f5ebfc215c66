/** The event that says that the arguments of a call are complete and checked. */
import type { CallState, EventOf, ToolHost } from '@toolwire/core'
import type { CheckedCall } from './preflight.ts'

export function toReady(
  { call_id, name, tool_type, input_text }: CallState,
  checked: Exclude<CheckedCall, { readonly type: 'failed' }>,
  host: Pick<ToolHost, 'stamp'>,
): EventOf<'tool.ready'> {
  const { input, tool } = checked
  const view = tool?.view?.(input)
  // The definition that the call was made for, so that it never runs something else.
  const definition = checked.type === 'server' ? checked.tool.definition : undefined
  return {
    type: 'tool.ready',
    ...host.stamp(),
    call_id,
    name,
    tool_type,
    executor: checked.type,
    input_text,
    input,
    ...(view === undefined ? {} : { view }),
    ...(definition === undefined ? {} : { definition }),
  }
}
