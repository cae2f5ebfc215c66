/** The effect of a tool, as the server reports it. Rules, not this, decide what a call may do. */
import type { ToolSpec } from '@toolwire/core'

export type ToolRisk = 'read' | 'edit' | 'shell' | 'network' | 'ask' | 'depends' | 'destructive' | 'other'

/** A tool as the server lists it: what it says of itself beside its schema. */
type ListedTool = ToolSpec & {
  readonly effect?: unknown
  readonly destructive?: unknown
}

/** Closer words for tools that every server brings. They never make one look safer than the server says. */
const KINDS: Readonly<Record<string, ToolRisk>> = {
  Write: 'edit',
  Edit: 'edit',
  NotebookEdit: 'edit',
  MemoryWrite: 'edit',
  Bash: 'shell',
  WebSearch: 'network',
  WebFetch: 'network',
}

/** A tool of which nothing is known may do anything. */
export function riskOf({ name, effect, destructive }: ListedTool): ToolRisk {
  if (destructive === true) return 'destructive'
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
  switch (effect) {
    case 'asks':
      return 'ask'
    case 'reads':
      return kind === 'network' ? kind : 'read'
    case 'depends':
      return kind ?? 'depends'
    default:
      return kind ?? 'other'
  }
}
