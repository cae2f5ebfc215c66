/**
 * Follows one session through one wire, from the first record where the wire needs it: pulls a page, steps it,
 * writes what the reader has not seen, and waits for the reader before it pulls again. So a
 * slow reader costs one chunk, and a stream that was cut continues byte for byte.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { type Cursor, cursorName, type Rec } from '@toolwire/core'
import {
  chatWire,
  createFollower,
  encodeLogReset,
  encodeSse,
  type Follow,
  type Frame,
  unseen,
  type Wire,
} from '@toolwire/wire'
import type { Bell } from './bell.ts'
import type { CheckpointCache } from './checkpoint-cache.ts'
import type { Lineage } from './lineage.ts'
import type { LogReader } from './log-reader.ts'
import type { SseConnection } from './sse.ts'
import type { StreamPool } from './stream-pool.ts'

export interface StreamPlan {
  readonly session: string
  readonly wire: Wire
  readonly cursor: Cursor
  /** The reader is told first that what it knows is void. */
  readonly reset?: { readonly head: number }
  readonly follow: Follow
  /** Stay after the answer is complete, for whatever comes next. */
  readonly keepOpen: boolean
  /** Records up to here cannot belong to the answer, so a state behind them may be used; 0 when that is not known. */
  readonly after?: number
}

/** `nothing`: complete, and the reader had seen all of it; `unknown`: no record belongs to what was asked for. */
type StreamOutcome = 'ended' | 'closed' | 'nothing' | 'unknown'

interface StreamDeps {
  readonly bell: Bell
  readonly reader: LogReader
  readonly lineage: Lineage
  readonly streams: StreamPool
  readonly checkpoints: CheckpointCache
}

/** Characters after which a chunk is written; one frame may be longer. */
const CHUNK = 16_384
/** Records of one page: as many as were used of the page before and as many again, because they may be large. */
const PAGE = { first: 16, most: 128 }
/** Records of one page where most have been seen and only their state is needed. */
const SKIP_PAGE = 1000

/**
 * Runs until the answer is complete or the connection closed. Headers are sent with the first
 * frame or the first wait, so that `nothing` and `unknown` can still be told otherwise.
 */
export async function streamSession(
  plan: StreamPlan,
  sse: SseConnection,
  deps: StreamDeps,
): Promise<StreamOutcome> {
  const alarm = createAlarm()
  const place = { head: 0, position: 0 }
  const leave = deps.streams.add(sse, {
    ring: alarm.ring,
    lag: () => Math.max(0, place.head - place.position),
  })
  const hush = deps.bell.on(plan.session, (event, head) => {
    if (head > 0) place.head = head
    if (event === 'removed') sse.destroy()
    else alarm.ring()
  })
  sse.onClose(alarm.ring)
  try {
    return await follow(plan, sse, deps, { alarm, place })
  } catch (error) {
    if (sse.started) sse.destroy()
    throw error
  } finally {
    hush()
    leave()
  }
}

async function follow(
  plan: StreamPlan,
  sse: SseConnection,
  deps: StreamDeps,
  { alarm, place }: { readonly alarm: Alarm; readonly place: { position: number } },
): Promise<StreamOutcome> {
  const stepper = createStepper(plan, deps)
  let page = PAGE.first
  if (plan.reset)
    await sse.write(encodeLogReset({ session_id: plan.session, ...plan.reset }, plan.wire.id !== chatWire.id))
  while (!sse.closed) {
    alarm.reset()
    const atHand = pullAtHand(plan, stepper, deps.reader, sse)
    const { wait, more, used } = atHand ?? (await pull(plan, stepper, deps.reader, { page, sse }))
    if (more) page = Math.min(2 * used, PAGE.most)
    if (wait) await wait
    place.position = stepper.position()
    if (stepper.finished()) return finish(sse)
    if (more) continue
    const rest = plan.keepOpen ? undefined : atRest(stepper, sse)
    if (rest !== undefined) return rest
    sse.start()
    await alarm.wait()
  }
  return 'closed'
}

type Stepper = ReturnType<typeof createStepper>

interface Pulled {
  /** To be waited for before more is pulled. */
  readonly wait: Promise<void> | undefined
  readonly more: boolean
  readonly used: number
}

/** What is in memory, given out at once: most of what a reader gets that has caught up. */
function pullAtHand(
  plan: StreamPlan,
  stepper: Stepper,
  reader: LogReader,
  sse: SseConnection,
): Pulled | undefined {
  const records = reader.peek(plan.session, stepper.position(), PAGE.most)
  return records && give(stepper, sse, records, PAGE.most)
}

/** One page, read, stepped and given out. Its records and frames are let go before anybody waits for the reader to take them. */
async function pull(
  plan: StreamPlan,
  stepper: Stepper,
  reader: LogReader,
  { page, sse }: { readonly page: number; readonly sse: SseConnection },
): Promise<Pulled> {
  const skipped = Math.max(0, plan.cursor.seq - stepper.position())
  const max = Math.min(skipped + page, SKIP_PAGE)
  // Once the reader waits for more, a hint tells of everything that is not at hand yet.
  const records = await reader.read(plan.session, stepper.position(), max, { live: sse.started })
  return give(stepper, sse, records, max)
}

function give(stepper: Stepper, sse: SseConnection, records: readonly Rec[], max: number): Pulled {
  const { chunk, used } = stepper.take(records)
  const more = used < records.length || records.length === max
  const lag = chunk === '' ? undefined : sse.write(chunk)
  // Long stretches must not keep other connections waiting.
  return { wait: lag ?? (more ? breathe() : undefined), more, used }
}

/** What there is to say when all was read: nothing while more is to come. */
function atRest(stepper: Stepper, sse: SseConnection): StreamOutcome | undefined {
  if (stepper.complete()) return finish(sse)
  return stepper.matched() ? undefined : 'unknown'
}

function finish(sse: SseConnection): StreamOutcome {
  if (sse.closed) return 'closed'
  if (!sse.started) return 'nothing'
  sse.end()
  return 'ended'
}

/** Behind which record to begin: a reader that stays needs of a stateless wire only what it has not seen. */
const firstPlace = ({ wire, follow: { kind }, keepOpen, cursor }: StreamPlan): number =>
  wire.isStateless === true && kind === 'session' && keepOpen ? Math.max(0, cursor.seq - 1) : 0

/** Steps records and gathers the frames that belong to the answer. */
function createStepper(plan: StreamPlan, { checkpoints, lineage }: StreamDeps) {
  const { session, cursor, wire } = plan
  const name = cursorName(session, lineage.current())
  const context = { session_id: session }
  const from = plan.after === undefined ? undefined : checkpoints.get(wire, session, plan.after)
  const stepper = plan.after === undefined ? undefined : wire.openAt?.(context, from?.checkpoint)
  const step = stepper ?? wire.open(context)
  const followed = createFollower(plan.follow)
  // Once these have ended, later records can only belong to somebody else's answer.
  const single = plan.follow.kind === 'run' || plan.follow.kind === 'answer'
  let position = stepper && from ? from.seq : firstPlace(plan)
  let matched = plan.follow.kind === 'session'
  let complete = matched

  function stepOne(rec: Rec): string {
    const frames: readonly Frame[] = step(rec)
    const { shown, last } = followed(rec)
    position = rec.seq
    if (shown) {
      matched = true
      complete = last
    }
    if (!shown || frames.length === 0 || rec.seq < cursor.seq) return ''
    let text = ''
    for (const frame of unseen(name, rec, frames, cursor)) text += encodeSse(frame)
    return text
  }

  return {
    /** Steps until a chunk is full, the records are used up, or the answer has ended. */
    take(records: readonly Rec[]): { readonly chunk: string; readonly used: number } {
      let chunk = ''
      let used = 0
      for (const rec of records) {
        chunk += stepOne(rec)
        used += 1
        if (chunk.length >= CHUNK || (single && complete)) break
      }
      return { chunk, used }
    },
    position: () => position,
    matched: () => matched,
    complete: () => complete,
    finished(): boolean {
      if (!(single && complete)) return false
      if (stepper) checkpoints.set(wire, session, { seq: position, checkpoint: stepper.checkpoint() })
      return true
    },
  }
}

interface Alarm {
  readonly ring: () => void
  readonly reset: () => void
  /** Resolves at once when it rang since the last reset: no hint between reading and waiting is lost. */
  readonly wait: () => Promise<void>
}

function createAlarm(): Alarm {
  let rang = false
  let wake: (() => void) | undefined
  return {
    ring() {
      rang = true
      wake?.()
    },
    reset() {
      rang = false
    },
    wait() {
      if (rang) return Promise.resolve()
      return new Promise(resolve => {
        wake = () => {
          wake = undefined
          resolve()
        }
      })
    },
  }
}
