/** The main side of the statement thread, which is started when it is first needed. */
import { Worker } from 'node:worker_threads'
import { AppError } from '@toolwire/core'
import type { StatementAnswer, StatementRequest } from './statement-thread.ts'

type Rows = readonly Readonly<Record<string, unknown>>[]

export interface StatementClient {
  /** All rows of a statement that only reads. Rejects with AppError('storage_error'). */
  readonly all: (sql: string, ...values: StatementRequest['values']) => Promise<Rows>
  /** Ends the thread, also in the middle of a statement. Idempotent. */
  readonly close: () => Promise<void>
}

/** Both spelled out, so that tools that follow imports find the thread. */
const THREAD = import.meta.url.endsWith('.ts')
  ? new URL('./statement-thread.ts', import.meta.url)
  : new URL('./statement-thread.js', import.meta.url)

export function createStatementClient(file: string): StatementClient {
  const waiting = new Map<number, PromiseWithResolvers<Rows>>()
  let worker: Worker | undefined
  let isClosed = false
  let lastId = 0

  function start(): Worker {
    const started = new Worker(THREAD, { workerData: { file }, name: 'toolwire-reader' })
    started.unref()
    started.on('message', (answer: StatementAnswer) => {
      const asked = waiting.get(answer.id)
      waiting.delete(answer.id)
      if ('rows' in answer) asked?.resolve(answer.rows)
      else asked?.reject(toError(answer.problem))
      if (waiting.size === 0) started.unref()
    })
    started.on('error', error => fail(String(error)))
    started.on('exit', () => fail('The reader thread has ended.'))
    return started
  }
  function fail(problem: string): void {
    worker = undefined
    for (const asked of waiting.values()) asked.reject(toError(problem))
    waiting.clear()
  }
  return {
    all(sql, ...values) {
      if (isClosed) return Promise.reject(new AppError('shutting_down', 'The store is closed.'))
      worker ??= start()
      worker.ref()
      const asked = Promise.withResolvers<Rows>()
      lastId += 1
      waiting.set(lastId, asked)
      worker.postMessage({ id: lastId, sql, values } satisfies StatementRequest)
      return asked.promise
    },
    async close() {
      isClosed = true
      await worker?.terminate()
    },
  }
}

const toError = (cause: string): AppError => new AppError('storage_error', undefined, { cause })
