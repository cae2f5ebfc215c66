/** Names of all built-in tools, for settings that are checked before any of the tools is loaded. */
export const BUILTIN_NAMES = [
  'Bash',
  'Glob',
  'Grep',
  'LS',
  'Read',
  'Edit',
  'Write',
  'NotebookRead',
  'NotebookEdit',
  'WebFetch',
  'WebSearch',
  'MemoryRead',
  'MemoryWrite',
  'TodoWrite',
  'Think',
  'AskUserQuestion',
  'Clock',
  'TaskOutput',
  'TaskStop',
  'TaskList',
  'Agent',
  'Architect',
  'StickerRequest',
] as const

export type BuiltinName = (typeof BUILTIN_NAMES)[number]
