/**
 * A stream that outlives its connections: it remembers the id of the last whole frame and
 * continues behind it, so that nothing is missed and nothing comes twice.
 */
import { type Backoff, delayOf, pause } from './backoff.ts'
import { type Frame, readFrames, withinSilence } from './read-frames.ts'
import { isTransient, readError, type ToolwireError, toError } from './toolwire-error.ts'

export interface FollowOptions {
  /** Opens one connection behind `lastId`. */
  readonly open: (lastId: string | undefined, signal: AbortSignal) => Promise<Response>
  /** Stay when everything has been read. Otherwise the stream ends there. */
  readonly follow: boolean
  readonly silenceMs: number
  readonly maxFrame?: number | undefined
  readonly backoff: Backoff
  readonly signal?: AbortSignal | undefined
  /** Called before every attempt (`attempt` 0 is the first) and when a connection is established. */
  readonly onConnection?: ((change: ConnectionChange) => void) | undefined
}

export type ConnectionChange =
  | { readonly type: 'connecting'; readonly attempt: number; readonly error?: ToolwireError | undefined }
  /** `head`: the log's last record at that time, when the server tells. */
  | { readonly type: 'open'; readonly head?: number }

/**
 * Batches of frames in order. Returns when all is read (204, or the end of a stream that is not
 * followed) and at an abort; throws ToolwireError for a final refusal such as 401, 403, 404, 410, and for a
 * frame that is too large.
 */
export async function* followFrames(options: FollowOptions): AsyncGenerator<readonly Frame[]> {
  const { signal, backoff, onConnection } = options
  const place: ResumeState = { lastId: undefined, progress: false, error: undefined }
  for (let attempt = 0; !signal?.aborted; attempt++) {
    onConnection?.({ type: 'connecting', attempt, error: place.error })
    const end = yield* oneConnection(options, place)
    if (end === 'complete') return
    if (place.progress) attempt = 0
    // A stream that ended politely after news is asked again at once whether that was all.
    if (place.error || !place.progress) await pause(delayOf(attempt, backoff), signal)
  }
}

interface ResumeState {
  lastId: string | undefined
  /** The current connection has led to another place than the one where it began. */
  progress: boolean
  /** The error of the last connection. */
  error: ToolwireError | undefined
}

/** Reads one connection to its end. Throws for a final refusal only; a lost connection is `ended` with its error. */
async function* oneConnection(
  options: FollowOptions,
  place: ResumeState,
): AsyncGenerator<readonly Frame[], 'complete' | 'ended'> {
  const { signal } = options
  const connection = new AbortController()
  const abort = (): void => connection.abort()
  signal?.addEventListener('abort', abort, { once: true })
  place.progress = false
  place.error = undefined
  try {
    return yield* readConnection(options, place, connection.signal)
  } catch (thrown) {
    place.error = toError(thrown)
    if (!signal?.aborted && !isTransient(place.error.status)) throw thrown
    return 'ended'
  } finally {
    signal?.removeEventListener('abort', abort)
    connection.abort()
  }
}

async function* readConnection(
  { open, silenceMs, maxFrame, follow, onConnection }: FollowOptions,
  place: ResumeState,
  signal: AbortSignal,
): AsyncGenerator<readonly Frame[], 'complete' | 'ended'> {
  const response = await withinSilence(open(place.lastId, signal), silenceMs)
  if (response.status === 204) return 'complete'
  if (!response.ok) throw await readError(response)
  onConnection?.({ type: 'open', ...headOf(response) })
  const begin = place.lastId
  for await (const frames of readFrames(response, { silenceMs, maxFrame })) {
    // As a header the server's own ids can be sent; with any other the next request would fail, and every one after it.
    for (const { id } of frames) if (/^[!-~]{1,1000}$/.test(id ?? '')) place.lastId = id
    // A server that repeats itself makes no progress: it is neither polled at once nor forever.
    place.progress = place.lastId !== begin
    yield frames
  }
  return follow || place.progress ? 'ended' : 'complete'
}

function headOf(response: Response): { readonly head?: number } {
  const told = Number(response.headers.get('x-session-head') ?? Number.NaN)
  return Number.isSafeInteger(told) ? { head: told } : {}
}
