/** Decides if the child may run one of its own tools, by the session's permission mode. */
import { resolve } from 'node:path'
import { canonicalPath } from '@toolwire/tools'
import { protectedRule } from '@toolwire/tools/internal'
import { asObject } from './json.ts'

export type ChildVerdict = 'allow' | 'ask' | 'deny'

const EDITS: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit'])

interface ChildCall {
  readonly input: unknown
  readonly cwd: string
}

/** Only asked about what the child itself would not do without a question. */
export function judgeChildTool(permission_mode: string, tool: string, call: ChildCall): ChildVerdict {
  switch (permission_mode) {
    case 'bypassPermissions':
      return 'allow'
    case 'acceptEdits':
      return EDITS.has(tool) && !changesProtected(call) ? 'allow' : 'ask'
    case 'plan':
    case 'dontAsk':
      return 'deny'
    default:
      return 'ask'
  }
}

function changesProtected({ input, cwd }: ChildCall): boolean {
  const { file_path, notebook_path } = asObject(input)
  const path = file_path ?? notebook_path
  const around = { workspace: cwd, realPath: (one: string) => canonicalPath(one) }
  return typeof path === 'string' && protectedRule(resolve(cwd, path), around) !== undefined
}
