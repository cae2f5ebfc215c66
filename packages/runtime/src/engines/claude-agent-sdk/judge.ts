/** Whether the child may run one of its own tools, by the session's permission mode. Pure. */

export type ChildVerdict = 'allow' | 'ask' | 'deny'

const EDITS: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit'])

/** Only asked about what the child itself would not do without a question. */
export function judgeChildTool(permission_mode: string, tool: string): ChildVerdict {
  switch (permission_mode) {
    case 'bypassPermissions':
      return 'allow'
    case 'acceptEdits':
      return EDITS.has(tool) ? 'allow' : 'ask'
    case 'plan':
    case 'dontAsk':
      return 'deny'
    default:
      return 'ask'
  }
}
