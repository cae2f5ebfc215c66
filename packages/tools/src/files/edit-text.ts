/** An edit of a file with all that is reported of it. Pure. */
import type { ToolProblem } from '@toolwire/core'
import { type ChangeData, describeChange, snippet } from './describe-change.ts'
import type { FileStyle } from './new-file-style.ts'
import { type EditRequest, type PlannedEdit, planEdit } from './plan-edit.ts'
import { readText, styleOf } from './text-file.ts'
import { toLines } from './text-page.ts'

export type EditedText =
  | {
      readonly ok: true
      readonly edit: PlannedEdit
      /** Of the file before. */
      readonly style: FileStyle
      readonly change: ChangeData
      /** The first edited lines with their neighbors. */
      readonly snippet: string
    }
  | { readonly ok: false; readonly problem: ToolProblem }

/** `preferred` is the charset that the project names. */
export function editText(
  path: string,
  bytes: Uint8Array,
  request: EditRequest,
  preferred: string | undefined,
): EditedText {
  const plan = planEdit(bytes, request, preferred)
  if (!plan.ok) return plan
  const { edit } = plan
  const before = readText(bytes, preferred)
  const { view } = readText(edit.after, preferred)
  const [first = 1] = edit.lines[0] ?? []
  const last = first + Math.max(1, toLines(edit.replacement).length) - 1
  return {
    ok: true,
    edit,
    style: styleOf(before),
    change: describeChange(path, before.view, view),
    snippet: snippet(view, first, last),
  }
}
