/** The tools that intents are made for, under the names that agents give them. */
import type { ToolSpec } from '@toolwire/core'

/** First name is ours; the others are what other hosts call the same thing. */
const NAMES = {
  shell: ['Bash', 'bash', 'shell', 'run_command', 'run_terminal_cmd', 'execute_command'],
  list: ['LS', 'ls', 'list_directory', 'list_dir'],
  read: ['Read', 'read', 'read_file', 'View'],
  write: ['Write', 'write', 'write_file', 'create_file'],
  edit: ['Edit', 'edit', 'edit_file', 'str_replace'],
  search: ['Grep', 'grep', 'grep_search'],
  find: ['Glob', 'glob', 'glob_file_search'],
  time: ['Clock', 'clock', 'get_time', 'get_current_time', 'current_time'],
  web: ['WebSearch', 'web_search', 'tavily_search', 'google_search', 'search_web'],
  fetch: ['WebFetch', 'web_fetch', 'fetch_url', 'fetch'],
  remember: ['MemoryWrite'],
  recall: ['MemoryRead'],
  agent: ['Agent', 'Task'],
  ask: ['AskUserQuestion'],
} as const satisfies Record<string, readonly string[]>

export type ToolRole = keyof typeof NAMES

/** Built-in tools that no intent uses; named here so that their everyday names do not match everyday words. */
const OTHERS = [
  'Think',
  'TodoWrite',
  'NotebookRead',
  'NotebookEdit',
  'StickerRequest',
  'Architect',
  'MultiEdit',
  'BashOutput',
  'KillShell',
  'ExitPlanMode',
  'Skill',
  'TaskOutput',
  'TaskStop',
  'TaskList',
]

const KNOWN: ReadonlySet<string> = new Set([...Object.values(NAMES).flat(), ...OTHERS])

/** True for tools that are reached by intent or by their exact name, never by loose words. */
export const isKnownTool = (name: string): boolean => KNOWN.has(name)

/** The offered tool for a role, by name; also as an MCP tool of any server. */
export function toolFor(role: ToolRole, tools: readonly ToolSpec[]): ToolSpec | undefined {
  for (const name of NAMES[role]) {
    const tool = tools.find(candidate => candidate.name === name || candidate.name.endsWith(`__${name}`))
    if (tool) return tool
  }
  return undefined
}
