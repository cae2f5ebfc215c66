/** The call that the parts below a `ToolCall.Root` are about. */
import type { CallView, ToolDisplay } from '@toolwire/core/view'
import { createContext, useContext } from 'react'

export interface ToolCallContextValue {
  readonly call: CallView
  readonly picture: ToolDisplay
  readonly open: boolean
  /** Id of the element that the header opens. */
  readonly body: string
}

export const ToolCallContext = createContext<ToolCallContextValue | undefined>(undefined)

/** Throws outside of a `ToolCall.Root`. */
export function useToolCallContext(): ToolCallContextValue {
  const value = useContext(ToolCallContext)
  if (!value) throw new Error('This part needs a <ToolCall.Root> around it.')
  return value
}
