/** The part of the benchmark that attacks the event loop with inputs of strangers. */
import { TOOLWIRE } from './contestant.ts'
import { hostileInputs } from './hostile-inputs.ts'
import { markdownTable } from './markdown-table.ts'
import { stalls } from './stalls.ts'
import { type Size, type Told, withProduct } from './takers.ts'

/** Inputs of a quick run: enough to show that the part works. */
const QUICK = 3

export async function stallsPart(size: Size): Promise<Told> {
  const inputs = size.quick ? hostileInputs(0.01).slice(0, QUICK) : hostileInputs(1)
  const rows = await withProduct(size, command => stalls(command, inputs))
  const markdown = markdownTable(
    ['input', 'longest turn of the event loop, CPU ms', 'of its export', 'status'],
    rows.map(({ name, request_ms, export_ms, status }) => [
      name,
      request_ms.toFixed(0),
      export_ms?.toFixed(0) ?? '',
      String(status),
    ]),
  )
  return { markdown, takers: [TOOLWIRE] }
}
