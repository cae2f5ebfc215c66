/** Plans a change of one cell in the file of a notebook: its bytes, and the difference of the cell. Pure. */
import type { ToolProblem } from '@toolwire/core'
import { encode } from '../files/charset.ts'
import { type ChangeData, describeChange } from '../files/describe-change.ts'
import { createLineFinder } from '../files/line-finder.ts'
import type { FileStyle } from '../files/new-file-style.ts'
import { readText, styleOf } from '../files/text-file.ts'
import { type CellChange, type PlannedChange, planCells } from './change-cells.ts'
import { parseNotebook } from './notebook.ts'

export type NotebookPlan =
  | {
      readonly ok: true
      readonly change: PlannedChange
      readonly style: FileStyle
      /** Undefined when the charset of the file has no form for some characters. */
      readonly after: Uint8Array | undefined
      /** First and last line that is replaced, and how many lines come in their place. */
      readonly lines: readonly [first: number, last: number, now: number]
      readonly diff: ChangeData
    }
  | { readonly ok: false; readonly problem: ToolProblem }

export function planNotebook(path: string, bytes: Uint8Array, request: CellChange): NotebookPlan {
  const file = readText(bytes)
  const parsed = parseNotebook(file.view)
  if (!parsed.ok) return parsed
  const planned = planCells(parsed.notebook, request)
  if (!planned.ok) return planned
  const { span, replacement, cell_id, old_source } = planned.change
  const inserted = encode(replacement.replaceAll('\n', file.eolAt(span.start)), {
    name: file.charset.name,
    bom: 0,
  })
  const lineAt = createLineFinder(file.view)
  const source = request.mode === 'delete' ? '' : request.source
  return {
    ok: true,
    change: planned.change,
    style: styleOf(file),
    after:
      inserted &&
      Buffer.concat([
        bytes.subarray(0, file.toByte(span.start)),
        inserted,
        bytes.subarray(file.toByte(span.end)),
      ]),
    lines: [lineAt(span.start), lineAt(span.end), replacement.split('\n').length],
    diff: describeChange(`${path}#${cell_id}`, old_source, source),
  }
}
