/** The call that the parts below a `ToolCall.Root` are about. */
import type { CallView, ToolDisplay } from '@toolwire/core/view'
import { type ComputedRef, type InjectionKey, inject } from 'vue'

export interface ToolCallContextValue {
  readonly call: ComputedRef<CallView>
  readonly picture: ComputedRef<ToolDisplay>
  readonly open: ComputedRef<boolean>
  /** Id of the element that the header opens. */
  readonly body: string
}

export const TOOL_CALL: InjectionKey<ToolCallContextValue> = Symbol('toolwire call')

/** Throws outside of a `ToolCall.Root`. */
export function useToolCallContext(): ToolCallContextValue {
  const value = inject(TOOL_CALL, undefined)
  if (!value) throw new Error('This part needs a <ToolCall.Root> around it.')
  return value
}
