/** The possible effects of a tool's calls, as far as the tool declares before a call. */
import type { Tool } from '@toolwire/core'

/** `depends` on the arguments; `asks` a person and does nothing else. */
type ToolEffect = 'reads' | 'changes' | 'depends' | 'asks'

/** Asked with no arguments; a tool that must see them to know says so by throwing. Never throws. */
export function toolEffect(tool: Pick<Tool, 'isReadOnly' | 'question'>): ToolEffect {
  if (tool.question) return 'asks'
  try {
    return tool.isReadOnly({}, {} as Parameters<Tool['isReadOnly']>[1]) ? 'reads' : 'changes'
  } catch {
    return 'depends'
  }
}
