/**
 * Program: an MCP server of the older era that gives the answers of a file, `{"method": result}`. One method it
 * answers with the raw text of the file's `wounded`, in which `@id` is replaced by the request's id.
 */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

interface Answers {
  readonly results: Readonly<Record<string, unknown>>
  readonly wounded: { readonly method: string; readonly text: string }
}

const { results, wounded } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Answers

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method = '' } = JSON.parse(line) as { readonly id?: unknown; readonly method?: string }
  if (id === undefined) continue
  const honest = JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} })
  const text = wounded.text.replaceAll('"@id"', () => JSON.stringify(id))
  process.stdout.write(`${method === wounded.method ? text : honest}\n`)
}
