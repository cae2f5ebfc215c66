/**
 * A thread that runs statements which read much, through its own connection that cannot write. It answers in order.
 * No imports but types and node: the thread starts from source and from a build alike.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'

export interface StatementRequest {
  readonly id: number
  readonly sql: string
  readonly values: readonly (string | number)[]
}

export type StatementAnswer =
  | { readonly id: number; readonly rows: readonly Readonly<Record<string, unknown>>[] }
  | { readonly id: number; readonly problem: string }

/** More statements than this are not kept prepared. */
const MAX_STATEMENTS = 50

if (parentPort) serve(parentPort, workerData as { readonly file: string })

function serve(port: MessagePort, { file }: { readonly file: string }): void {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  const statements = new Map<string, StatementSync>()

  function prepare(sql: string): StatementSync {
    const known = statements.get(sql)
    if (known) return known
    if (statements.size >= MAX_STATEMENTS) statements.clear()
    const statement = db.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  port.on('message', ({ id, sql, values }: StatementRequest) => {
    try {
      port.postMessage({ id, rows: prepare(sql).all(...values) } satisfies StatementAnswer)
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      port.postMessage({ id, problem } satisfies StatementAnswer)
    }
  })
}
