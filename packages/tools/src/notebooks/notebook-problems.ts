/** Problems that make a document an invalid nbformat 4 notebook, as far as Jupyter rejects it. */
import { z } from 'zod'

const lines = z.union([z.string(), z.array(z.string())])
const data = z.record(z.string(), z.unknown())
const metadata = z.record(z.string(), z.unknown())
const count = z.union([z.number().int().min(0), z.null()])

const output = z.discriminatedUnion('output_type', [
  z.strictObject({ output_type: z.literal('execute_result'), execution_count: count, data, metadata }),
  z.strictObject({ output_type: z.literal('display_data'), data, metadata }),
  z.strictObject({ output_type: z.literal('stream'), name: z.string(), text: lines }),
  z.strictObject({
    output_type: z.literal('error'),
    ename: z.string(),
    evalue: z.string(),
    traceback: z.array(z.string()),
  }),
])

const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)
const attachments = z.record(z.string(), data).optional()

/** Ids came with minor version 5: required from there on, forbidden before. */
function cellSchema(minor: number) {
  const own = minor >= 5 ? { id } : {}
  return z.discriminatedUnion('cell_type', [
    z.strictObject({ cell_type: z.literal('markdown'), ...own, metadata, attachments, source: lines }),
    z.strictObject({ cell_type: z.literal('raw'), ...own, metadata, attachments, source: lines }),
    z.strictObject({
      cell_type: z.literal('code'),
      ...own,
      metadata,
      source: lines,
      outputs: z.array(output),
      execution_count: count,
    }),
  ])
}

/** One sentence per problem of each cell; empty when all are valid. Names cells by their place. */
export function notebookProblems(cells: readonly unknown[], minor: number): readonly string[] {
  const schema = cellSchema(minor)
  const problems = cells.flatMap((cell, index) => {
    const parsed = schema.safeParse(cell)
    if (parsed.success) return []
    const [issue] = parsed.error.issues
    return [`cell ${index}: ${[...(issue?.path ?? []), issue?.message].join(' ')}`]
  })
  if (minor < 5) return problems
  const ids = cells.map(cell => (cell as { readonly id?: unknown } | null)?.id)
  const known = new Set<unknown>()
  const twice = ids.find(one => one !== undefined && known.size === known.add(one).size)
  return twice === undefined ? problems : [...problems, `two cells have the id ${String(twice)}`]
}
