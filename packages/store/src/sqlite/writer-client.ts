/** The main-thread side of the writer thread: one request in flight at a time, failures as AppErrors. */
import { Worker } from 'node:worker_threads'
import { AppError } from '@toolwire/core'
import { StoreOpenError } from '../store-errors.ts'
import type {
  CheckpointRequest,
  FoldRequest,
  WriterAnswer,
  WriterFailure,
  WriterRequest,
  WriterStart,
  WriterStarted,
} from './protocol.ts'

export interface WriterClient {
  /**
   * Resolves when the request is committed. Rejects with AppError `storage_full` or
   * `storage_error`, and then nothing of it is stored. Call it only when the one before is answered.
   */
  readonly request: (request: WriterRequest) => Promise<void>
  /** Asks for background work; no answer. */
  readonly fold: (request: FoldRequest) => void
  /** Stores or deletes a checkpoint in the background; no answer. */
  readonly checkpoint: (request: CheckpointRequest) => void
}

const SQLITE_FULL = 13
/** Both spelled out, so that tools that follow imports find the thread. */
const THREAD = import.meta.url.endsWith('.ts')
  ? new URL('./writer-thread.ts', import.meta.url)
  : new URL('./writer-thread.js', import.meta.url)

interface PendingWrite {
  readonly resolve: () => void
  readonly reject: (error: AppError) => void
}

interface StartedWriter extends WriterClient {
  readonly nextNum: number
  /** The last process that had the data open did not close them. */
  readonly wasLeftOpen: boolean
}

/**
 * Starts the thread and opens the database in it. Throws StoreOpenError. `{ type: 'close' }` ends it.
 */
export async function startWriter(start: WriterStart): Promise<StartedWriter> {
  const worker = new Worker(THREAD, {
    workerData: start,
    name: 'toolwire-store',
  })
  const started = await firstMessage(worker, start.file)
  if (started.type === 'refused') {
    await worker.terminate()
    throw new StoreOpenError(started.code, start.file, started.message)
  }
  let waiting: PendingWrite | undefined
  let dead: AppError | undefined

  function fail(message: string): void {
    dead ??= new AppError('storage_error', message)
    waiting?.reject(dead)
    waiting = undefined
  }
  worker.on('message', (answer: WriterAnswer) => {
    const answered = waiting
    waiting = undefined
    if (answer === null) answered?.resolve()
    else answered?.reject(toAppError(answer))
  })
  worker.on('error', error => fail(`The store's writer died: ${String(error)}`))
  worker.on('exit', () => fail("The store's writer has ended."))

  return {
    nextNum: started.nextNum,
    wasLeftOpen: started.wasLeftOpen,
    request: request =>
      new Promise<void>((resolve, reject) => {
        if (dead) return reject(dead)
        waiting = { resolve, reject }
        worker.postMessage(request)
      }),
    fold: request => worker.postMessage(request),
    checkpoint: request => worker.postMessage(request),
  }
}

function firstMessage(worker: Worker, file: string): Promise<WriterStarted> {
  return new Promise((resolve, reject) => {
    const failed = (error: unknown): void =>
      reject(
        new StoreOpenError('store_unwritable', file, `The store's writer did not start: ${String(error)}`),
      )
    worker.once('error', failed)
    worker.once('exit', failed)
    worker.once('message', (message: WriterStarted) => {
      worker.off('error', failed)
      worker.off('exit', failed)
      resolve(message)
    })
  })
}

function toAppError(failure: WriterFailure): AppError {
  const code = (failure.errcode & 0xff) === SQLITE_FULL ? 'storage_full' : 'storage_error'
  return new AppError(code, undefined, { cause: failure.message, errcode: failure.errcode })
}
