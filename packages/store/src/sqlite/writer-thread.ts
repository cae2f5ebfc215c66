/**
 * The thread that owns the write connection. It answers requests in order; folding waits for a pause. Nothing but types and node may be imported from outside this package here:
 * the thread starts from source and from a build alike.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type CheckpointWriter, openCheckpointWriter } from './checkpoint-file.ts'
import { createFolder, type SqliteFolder } from './fold.ts'
import { markClosed, markOpen } from './open-mark.ts'
import { errcodeOf, prepareDatabase } from './prepare-database.ts'
import { hasPreviews } from './preview-file.ts'
import type {
  CheckpointRequest,
  FoldRequest,
  WriterAnswer,
  WriterFailure,
  WriterMessage,
  WriterRequest,
  WriterStart,
  WriterStarted,
} from './protocol.ts'
import { createWriter } from './writer.ts'

/** The rest of a response follows its message at once: folding must not delay it. */
const FOLD_DELAY_MS = 200

if (parentPort) start(parentPort, workerData as WriterStart)

function start(port: MessagePort, options: WriterStart): void {
  const prepared = prepareDatabase(options)
  if (prepared.type === 'refused') {
    port.postMessage(prepared satisfies WriterStarted)
    port.close()
    return
  }
  const { db, nextNum, hadCrash, wasLeftOpen } = prepared
  const answer = (value: WriterAnswer): void => port.postMessage(value)
  const writer = createWriter(db)
  const checkpoints = openCheckpointWriter(options.file, db, hadCrash)
  const upkeep = createUpkeep(createFolder(db, writer.transact))

  function run(request: WriterRequest): void {
    if (request.type === 'close') {
      upkeep.finish()
      checkpoints.close()
      db.close()
      if (!hasPreviews(options.file)) markClosed(options.file)
      return
    }
    // First: a checkpoint must not outlive its session.
    if (request.type === 'remove') checkpoints.remove(request.sessions.map(({ id }) => id))
    writer.run(request)
  }
  port.on('message', (message: WriterMessage) => {
    if (message.type === 'fold') return upkeep.fold(message)
    if (message.type === 'checkpoint') return storeCheckpoint(checkpoints, message)
    try {
      run(message)
      answer(null)
    } catch (error) {
      answer(toFailure(error))
    }
    if (message.type === 'close') port.close()
  })
  port.postMessage({ type: 'ready', nextNum, wasLeftOpen } satisfies WriterStarted)
  // After the answer, so that no start waits for the disk; before any request, so that every fact is behind it.
  tryToMark(options.file)
}

function storeCheckpoint(checkpoints: CheckpointWriter, { session, seq, data }: CheckpointRequest): void {
  try {
    if (data) checkpoints.save(session, seq, data)
    else checkpoints.remove([session])
  } catch {
    // One that does not match its log will not match it when it is read again.
  }
}

/** A disk that is too full for it refuses whatever would make it matter. */
function tryToMark(file: string): void {
  try {
    markOpen(file)
  } catch {}
}

interface Upkeep {
  readonly fold: (request: FoldRequest) => void
  /** Does at once what is still to be done, and stops. */
  readonly finish: () => void
}

/** Background work saves space only: when it fails, the rows stay as they are and a later attempt finds them. */
function createUpkeep(folder: SqliteFolder): Upkeep {
  const toFold = new Map<number, number>()
  let timer: NodeJS.Timeout | undefined

  function foldStep(): boolean {
    const next = toFold.entries().next()
    if (next.done) return false
    const [session, upTo] = next.value
    try {
      if (!folder.step(session, upTo)) toFold.delete(session)
    } catch {
      toFold.delete(session)
    }
    return true
  }
  /** One row at a time, so that requests get in between. */
  function foldNext(): void {
    timer = undefined
    if (foldStep()) setImmediate(foldNext)
  }

  return {
    fold(request) {
      toFold.set(request.session, request.upTo)
      timer ??= setTimeout(foldNext, FOLD_DELAY_MS)
    },
    finish() {
      clearTimeout(timer)
      while (foldStep());
    },
  }
}

function toFailure(error: unknown): WriterFailure {
  return { errcode: errcodeOf(error), message: error instanceof Error ? error.message : String(error) }
}
