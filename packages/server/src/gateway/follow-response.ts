/** Follows one response of a vendor wire and reports how it ended. */
import { ERRORS, type EventOf, endsRun, type Failure, type Rec, START } from '@toolwire/core'
import type { Sink } from '@toolwire/session'
import { createOutline, type OutlineBlock, type Warning, type Wire } from '@toolwire/wire'
import type { GatewayContext, StartedAnswer } from './gateway-context.ts'

/** The model as its provider names it, and what it did not take of the request. */
export interface ResponseStart {
  readonly model: string | undefined
  readonly warnings: readonly Warning[]
}

export interface FollowOptions {
  readonly wire: Wire
  /** Reject a response to anything but the request as it is. */
  readonly strict: boolean
  /** Called before the frames that follow. Not called for a page that fails. */
  readonly onStart: (start: ResponseStart) => void
}

export type ResponseEnd =
  | { readonly type: 'closed' }
  | {
      readonly type: 'ended'
      readonly failure: Failure | undefined
      /** The run continues, but its response does not fit the strict request. */
      readonly isRejected: boolean
      /** Sent text cannot be withdrawn, but the run starts its message again. */
      readonly isRestarted: boolean
      readonly blocks: readonly OutlineBlock[]
      /** The first call that the client has to run. */
      readonly call: string | undefined
      readonly seq: number
    }

/** Frames of the last page are not flushed to the sink if it is one that holds them. */
export async function followResponse(
  { sessions }: GatewayContext,
  { session, follow, from, lost }: StartedAnswer,
  sink: Sink,
  { wire, strict, onStart }: FollowOptions,
): Promise<ResponseEnd> {
  const watch = createWatch(strict)
  const begin = (): void => {
    const start = watch.takeStart()
    if (start) onStart(start)
  }
  const plan = { session, wire, target: follow, cursor: START, after: from, watcher: watch.watcher }
  const end = await sessions.follow(lost && lost.length > 0 ? { ...plan, omits: omitMessages(lost) } : plan, {
    ...sink,
    flush(isEnd) {
      if (!isEnd) begin()
      return sink.flush(isEnd)
    },
  })
  if (end.type === 'closed') return { type: 'closed' }
  if (end.type === 'deleted' || end.type === 'unknown') return toFailed(DELETED, end.seq)
  const rejected = watch.rejected()
  if (rejected) return { ...toFailed(rejected, end.seq), isRejected: true }
  if (!watch.failure()) begin()
  return { type: 'ended', isRejected: false, failure: watch.failure(), seq: end.seq, ...watch.ending() }
}

const DELETED: Failure = {
  code: 'session_deleted',
  message: ERRORS.session_deleted.meaning,
  retryable: ERRORS.session_deleted.retryable,
}

const toFailed = (failure: Failure, seq: number): Extract<ResponseEnd, { type: 'ended' }> => ({
  type: 'ended',
  failure,
  isRejected: false,
  isRestarted: false,
  blocks: [],
  call: undefined,
  seq,
})

/** Changes that the request asked for, or that give it the same in another way. */
const WANTED: ReadonlySet<string> = new Set(['fallback_model', 'json_by_tool', 'system_in_text'])

/** Watches the records of a response for its model, its failure and its end. */
function createWatch(strict: boolean) {
  const outline = createOutline()
  let start: ResponseStart | undefined
  let rejected: Failure | undefined
  let last: Rec['ev'] | undefined
  function takeMessage({ model, warnings = [] }: EventOf<'message.started'>): 'stop' | undefined {
    start = { model, warnings }
    const problem = strict ? warnings.find(warning => !WANTED.has(warning.code)) : undefined
    if (!problem) return undefined
    rejected = { code: 'bad_request', message: problem.message, retryable: false }
    return 'stop'
  }
  function watcher(rec: Rec, isLast: boolean): 'stop' | undefined {
    const { ev } = rec
    last = ev
    outline.take(rec)
    const isRoot = ev.agent_run_id === undefined
    if (isRoot && ev.type === 'message.started') return takeMessage(ev)
    // Not the end if the answers to this pause are already recorded.
    const isAnswered = !isLast && isRoot && endsRun(ev.type)
    return !isAnswered && outline.failure() ? 'stop' : undefined
  }
  return {
    watcher,
    takeStart(): ResponseStart | undefined {
      const taken = start
      start = undefined
      return taken
    },
    rejected: () => rejected,
    failure: () => outline.failure(),
    ending: () => ({
      blocks: outline.blocks,
      call:
        last?.type === 'run.paused'
          ? last.pending.find(item => item.kind === 'client_tool')?.call_id
          : undefined,
      isRestarted: last?.type === 'turn.started',
    }),
  }
}

/** Omits the text of these messages. That they were aborted, and what they used, stays. */
function omitMessages(lost: readonly string[]): (rec: Rec) => boolean {
  const blocks = new Set<string>()
  return ({ ev }) => {
    switch (ev.type) {
      case 'block.started':
        if (lost.includes(ev.message_id)) blocks.add(ev.block_id)
        return blocks.has(ev.block_id)
      case 'block.delta':
      case 'block.completed':
        return blocks.has(ev.block_id)
      default:
        return false
    }
  }
}
