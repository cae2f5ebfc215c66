/** What a tool can do to the world, as far as its name tells; what a call may do is decided by rules, not by this. */
export type ToolRisk = 'read' | 'edit' | 'shell' | 'network' | 'ask' | 'other'

const KNOWN: Readonly<Record<string, ToolRisk>> = {
  Read: 'read',
  Grep: 'read',
  Glob: 'read',
  LS: 'read',
  NotebookRead: 'read',
  MemoryRead: 'read',
  Think: 'read',
  Clock: 'read',
  TodoWrite: 'read',
  Architect: 'read',
  Write: 'edit',
  Edit: 'edit',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  MemoryWrite: 'edit',
  Bash: 'shell',
  WebSearch: 'network',
  WebFetch: 'network',
  AskUserQuestion: 'ask',
  TaskOutput: 'read',
  TaskList: 'read',
}

/** A tool that nobody knows may do anything. */
export const riskOf = (name: string): ToolRisk =>
  Object.hasOwn(KNOWN, name) ? (KNOWN[name] ?? 'other') : 'other'
