/**
 * Follows a session through a wire: pulls a page, steps it, gives the frames to a sink, and waits for the sink before
 * the next page. A slow reader therefore costs one chunk, and a cut stream continues byte for byte.
 */
import { endsRun, type Rec, type Seq } from '@toolwire/core'
import type { Frame } from '@toolwire/wire'
import type { FactsCache } from './facts-cache.ts'
import type { FollowPlan } from './follow-plan.ts'
import type { LogReader } from './log-reader.ts'
import type { SessionWatch } from './session-watch.ts'
import type { Sink } from './sinks/sink.ts'
import { findStart, type StartPosition } from './start-position.ts'
import { createWakeSignal, type WakeSignal } from './wake-signal.ts'
import { yieldToLoop } from './yield-to-loop.ts'

export interface FollowEnd {
  /**
   * `complete`: the target has ended; `stopped`: by the watcher; `closed`: the reader left; `deleted`: the session is
   * gone; `unknown`: no record belongs to the target; `timeout`: by `until`.
   */
  readonly type: 'complete' | 'stopped' | 'closed' | 'deleted' | 'unknown' | 'timeout'
  /** The last record that was read. */
  readonly seq: Seq
  /** The sink got no frame. */
  readonly isEmpty: boolean
}

export interface FollowDeps {
  readonly reader: LogReader
  readonly facts: FactsCache
  readonly watch: SessionWatch
}

/** Records of the first page; later ones hold twice as many as were used, because records may be large. */
const PAGE = { first: 16, most: 128 }
/** Records of a page that lies before the cursor, where only the state is needed. */
const SKIP_PAGE = 1000
/** Milliseconds after which the rest of a page waits for the next turn of the event loop. */
const MAX_HELD_MS = 15

export async function follow(deps: FollowDeps, plan: FollowPlan, sink: Sink): Promise<FollowEnd> {
  const signal = createWakeSignal()
  const session = { isRemoved: false, touch: () => {} }
  const watched = deps.watch.add(plan.session, {
    onGrown(head) {
      if (plan.progress && head > 0) plan.progress.head = head
      signal.notify()
    },
    onRemoved() {
      session.isRemoved = true
      sink.cut?.()
      signal.notify()
    },
  })
  session.touch = watched.touch
  const unsubscribe = sink.onClose(signal.notify)
  plan.until?.addEventListener('abort', signal.notify)
  try {
    const stepper = createStepper(plan, await findStart(deps.facts, plan), sink)
    const page = sink.pageSize ?? PAGE.first
    const type = await pullAll(
      { plan, sink, stepper, reader: deps.reader, session, page, isLive: false },
      signal,
    )
    return { type, seq: stepper.position(), isEmpty: stepper.isEmpty() }
  } finally {
    watched.unsubscribe()
    unsubscribe()
    plan.until?.removeEventListener('abort', signal.notify)
  }
}

interface Reading {
  readonly plan: FollowPlan
  readonly sink: Sink
  readonly stepper: PlanStepper
  readonly reader: LogReader
  readonly session: { readonly isRemoved: boolean; readonly touch: () => void }
  /** Records of the next page. */
  page: number
  /** The next read may end early: a notification reports the rest. */
  isLive: boolean
}

async function pullAll(reading: Reading, signal: WakeSignal): Promise<FollowEnd['type']> {
  const { sink, stepper } = reading
  while (!sink.isClosed()) {
    signal.reset()
    const page = pullCached(reading) ?? (await pull(reading))
    if (page.wait) await page.wait
    const end = stepper.end() ?? interruption(reading)
    if (end) return end
    if (page.hasMore) continue
    const outcome = stepper.outcomeWhenIdle()
    // A live page may end early: only another read shows that the log ends here.
    if (outcome && !page.isLive) return outcome
    reading.isLive = !outcome
    if (outcome) continue
    sink.onIdle?.()
    await signal.wait()
  }
  return 'closed'
}

function interruption({ session, plan }: Reading): 'deleted' | 'timeout' | undefined {
  if (session.isRemoved) return 'deleted'
  return plan.until?.aborted ? 'timeout' : undefined
}

interface PulledPage {
  /** To wait for before the next page. */
  readonly wait: Promise<void> | undefined
  readonly hasMore: boolean
  readonly isLive: boolean
}

/** A page from the cache: the usual one of a reader that has caught up. */
function pullCached(reading: Reading): PulledPage | undefined {
  const { plan, sink, stepper, reader } = reading
  const max = sink.pageSize ?? PAGE.most
  const records = reader.peek(plan.session, stepper.position(), max)
  return records && give(reading, records, max)
}

/** A function on its own, so that no page is referenced while the reader is waited for. */
async function pull(reading: Reading): Promise<PulledPage> {
  const { plan, stepper, reader, page, isLive } = reading
  const skipped = Math.max(0, plan.cursor.seq - stepper.position())
  const max = Math.min(skipped + page, SKIP_PAGE)
  const records = await reader.read(plan.session, stepper.position(), max, { live: isLive })
  return { ...give(reading, records, max), isLive }
}

function give(reading: Reading, records: readonly Rec[], max: number): PulledPage {
  const { plan, stepper, sink, session } = reading
  const used = stepper.take(records)
  const isEnd = stepper.end() !== undefined
  const hasMore = used < records.length || records.length === max
  if (used > 0) session.touch()
  if (plan.progress) plan.progress.position = stepper.position()
  if (hasMore) reading.page = sink.pageSize ?? Math.min(2 * used, PAGE.most)
  // Long reads must not keep other connections waiting.
  const flushed = sink.flush(isEnd)
  const wait = hasMore && !isEnd ? Promise.resolve(flushed).then(yieldToLoop) : flushed
  return { wait, hasMore, isLive: false }
}

type PlanStepper = ReturnType<typeof createStepper>

/** Steps records and gives the sink the frames of the target. */
function createStepper(plan: FollowPlan, { after, step, select, isKnown }: StartPosition, sink: Sink) {
  const { cursor, target } = plan
  // Later records can only belong to other responses.
  const isSingle = target.kind === 'run' || target.kind === 'answer'
  let position = after
  let isMatched = isKnown
  let isComplete = target.kind === 'session'
  let isPaused = false
  let isStopped = false
  let isEmpty = true

  /** Returns true if the sink is full. */
  function stepOne(rec: Rec): boolean {
    position = rec.seq
    if (plan.omits?.(rec)) return false
    const frames = step(rec)
    const { shown, last } = select(rec)
    if (!shown) return false
    isMatched = true
    isComplete = last
    isPaused = last && rec.ev.type === 'run.paused'
    const isFull = send(rec, frames, last)
    if (plan.watcher?.(rec, last) === 'stop') isStopped = true
    return isFull
  }
  /** Gives the sink the frames that the reader has not seen. */
  function send(rec: Rec, frames: readonly Frame[], isLast: boolean): boolean {
    const first = rec.seq > cursor.seq ? 0 : rec.seq < cursor.seq ? frames.length : cursor.k + 1
    if (first >= frames.length) return false
    isEmpty = false
    const { ev } = rec
    const isAnsweredPause = isSingle && !isLast && endsRun(ev.type) && ev.agent_run_id === undefined
    return sink.add({ rec, frames: first === 0 ? frames : frames.slice(first), first, isAnsweredPause })
  }
  function end(): 'stopped' | 'complete' | undefined {
    if (isStopped) return 'stopped'
    return isSingle && isComplete ? 'complete' : undefined
  }

  return {
    /** Steps until the sink is full, the records are used up, the target has ended or it took long; returns how many were used. */
    take(records: readonly Rec[]): number {
      const start = performance.now()
      let used = 0
      for (const rec of records) {
        used += 1
        if (stepOne(rec) || end() || performance.now() - start > MAX_HELD_MS) break
      }
      return used
    },
    end,
    /** Undefined while more is to come. */
    outcomeWhenIdle(): 'complete' | 'unknown' | undefined {
      if (plan.isOpenEnded || (plan.awaitsResume && isPaused && isEmpty)) return undefined
      if (isComplete) return 'complete'
      return isMatched ? undefined : 'unknown'
    },
    position: () => position,
    isEmpty: () => isEmpty,
  }
}
