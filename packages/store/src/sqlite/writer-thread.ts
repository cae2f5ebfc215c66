/**
 * The thread that owns the write connection. It answers requests in order; settling and folding
 * wait for a pause. Nothing but types and node may be imported from outside this package here:
 * the thread starts from source and from a build alike.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { createFolder, type Folder } from './fold.ts'
import { errcodeOf, prepareDatabase } from './prepare-database.ts'
import type {
  FoldRequest,
  WriterAnswer,
  WriterFailure,
  WriterMessage,
  WriterRequest,
  WriterStart,
  WriterStarted,
} from './protocol.ts'
import { createWriter, type Writer } from './writer.ts'

/** Characters in `recent` above which it is settled: a reader of a live session's past looks through all of it. */
const RECENT_LIMIT = 512 * 1024
/** Messages that end within this time share a settling. */
const FOLD_DELAY_MS = 200

if (parentPort) start(parentPort, workerData as WriterStart)

function start(port: MessagePort, options: WriterStart): void {
  const prepared = prepareDatabase(options)
  if (prepared.type === 'refused') {
    port.postMessage(prepared satisfies WriterStarted)
    port.close()
    return
  }
  const { db, nextNum } = prepared
  const answer = (value: WriterAnswer): void => port.postMessage(value)
  const writer = createWriter(db)
  const upkeep = createUpkeep(writer, createFolder(db), () => answer('settled'))

  function run(request: WriterRequest): void {
    if (request.type === 'close') {
      upkeep.finish()
      db.close()
    } else writer.run(request)
  }
  port.on('message', (message: WriterMessage) => {
    if (message.type === 'fold') return upkeep.fold(message)
    try {
      run(message)
      answer(null)
    } catch (error) {
      answer(toFailure(error))
    }
    if (message.type === 'close') port.close()
    else upkeep.after(message)
  })
  port.postMessage({ type: 'ready', nextNum } satisfies WriterStarted)
}

interface Upkeep {
  /** To be called after each answered request. */
  readonly after: (request: WriterRequest) => void
  readonly fold: (request: FoldRequest) => void
  /** Does at once what is still to be done, and stops. */
  readonly finish: () => void
}

/** Background work saves space and time only: when it fails, the rows stay as they are and a later attempt finds them. */
function createUpkeep(writer: Writer, folder: Folder, onSettled: () => void): Upkeep {
  const toFold = new Map<number, number>()
  let recentSize = 0
  let limit = RECENT_LIMIT
  let timer: NodeJS.Timeout | undefined

  function settle(): void {
    try {
      if (recentSize > 0) writer.run({ type: 'settle' })
      recentSize = 0
      limit = RECENT_LIMIT
      onSettled()
    } catch {
      limit = recentSize * 2
    }
  }
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
  function foldAll(): void {
    timer = undefined
    settle()
    foldNext()
  }
  /** One row at a time, so that requests get in between. */
  function foldNext(): void {
    if (foldStep()) setImmediate(foldNext)
  }

  return {
    after(request) {
      if (request.type === 'flush') recentSize += request.recent?.length ?? 0
      if (recentSize > limit || (recentSize > 0 && request.type !== 'flush')) settle()
    },
    fold(request) {
      toFold.set(request.session, request.upTo)
      timer ??= setTimeout(foldAll, FOLD_DELAY_MS)
    },
    finish() {
      clearTimeout(timer)
      settle()
      while (foldStep());
    },
  }
}

function toFailure(error: unknown): WriterFailure {
  return { errcode: errcodeOf(error), message: error instanceof Error ? error.message : String(error) }
}
