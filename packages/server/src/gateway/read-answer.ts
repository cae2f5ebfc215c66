/**
 * Follows one answer through its wire. The last frames are held back until everything that the
 * client's next request needs is stored; then they are handed over at once.
 */
import { ERRORS, encodeCursor, endsRun, type Failure, type Rec } from '@toolwire/core'
import {
  createFollower,
  createOutline,
  type OutlineBlock,
  type SentFrame,
  type Warning,
  type Wire,
} from '@toolwire/wire'
import { isThere } from '../find-session.ts'
import type { GatewayContext, StartedAnswer } from './answer-plan.ts'

export interface AnswerReader {
  /** True when nobody reads any more. */
  readonly closed: () => boolean
  /** Called when something may have changed; the returned function ends that. */
  readonly onChange: (ring: () => void) => () => void
  /** Who answers, and what of the request it did not take; before the frames that follow. */
  readonly begin: (start: AnswerStart) => void
  /** The answer must fit the request exactly: one that its provider would change is none. */
  readonly strict: boolean
  /** Frames in order; a promise asks to wait until there is room for more. */
  readonly take: (frames: readonly SentFrame[]) => Promise<void> | undefined
}

export interface AnswerStart {
  /** The model as its provider names it. */
  readonly model: string | undefined
  readonly warnings: readonly Warning[]
}

/** How it ended: with these frames still to be handed over, or because the reader left. */
export type AnswerEnd =
  | {
      readonly type: 'ended'
      readonly last: readonly SentFrame[]
      readonly failure: Failure | undefined
      /** The run goes on, but its answer would not fit the strict request. */
      readonly refused?: true
      /** What was said is not to be taken back, but the run goes on and says it anew. */
      readonly anew?: true
      readonly blocks: readonly OutlineBlock[]
      /** The first call that the client has to run. */
      readonly call: string | undefined
      /** Where the answer ended in the log. */
      readonly seq: number
    }
  | { readonly type: 'closed' }

const PAGE = 256
const REMOVED: Failure = {
  code: 'session_deleted',
  message: ERRORS.session_deleted.meaning,
  retryable: ERRORS.session_deleted.retryable,
}

export async function readAnswer(
  context: GatewayContext,
  started: StartedAnswer,
  wire: Wire,
  reader: AnswerReader,
): Promise<AnswerEnd> {
  const alarm = createAlarm()
  const news = { removed: false, isQuiet: false }
  /** A hint may be lost, or come before anybody waits for it: also that the session is gone. */
  async function look(): Promise<void> {
    if (news.isQuiet) news.removed ||= !(await isThere(context.store, started.session).catch(() => true))
    news.isQuiet = true
    alarm.ring()
  }
  const hushes = [
    // First: it refuses a stream too many, and then nothing must be left behind.
    reader.onChange(alarm.ring),
    context.bell.on(started.session, event => {
      if (event === 'removed') news.removed = true
      alarm.ring()
    }),
    poll(context.config.pollMs, () => void look()),
  ]
  try {
    return await follow(createPager(context, started, wire), reader, { alarm, news })
  } finally {
    for (const hush of hushes) hush()
  }
}

interface Surroundings {
  readonly alarm: ReturnType<typeof createAlarm>
  readonly news: { readonly removed: boolean; isQuiet: boolean }
}

async function follow(
  turnPage: Pager,
  reader: AnswerReader,
  { alarm, news }: Surroundings,
): Promise<AnswerEnd> {
  while (!reader.closed()) {
    alarm.reset()
    const turned = turnPage()
    const page = turned instanceof Promise ? await turned : turned
    if (!page.isEmpty) news.isQuiet = false
    const end = endOf(page, { removed: news.removed, strict: reader.strict, position: page.position })
    if (page.start && !end?.failure) reader.begin(page.start)
    if (end) return end
    const lag = pass(page.frames, reader)
    if (lag) await lag
    if (!page.isFull) await alarm.wait()
  }
  return { type: 'closed' }
}

const pass = (frames: readonly SentFrame[], reader: AnswerReader): Promise<void> | undefined =>
  frames.length === 0 ? undefined : reader.take(frames)

type Ended = Extract<AnswerEnd, { type: 'ended' }>
type End = Omit<Ended, 'last'>
interface Stepped {
  readonly frames: readonly SentFrame[]
  readonly end?: End
  readonly start?: AnswerStart
}
type Step = (rec: Rec) => Stepped

interface AnswerPage extends Stepped {
  readonly isEmpty: boolean
  /** More may follow at once. */
  readonly isFull: boolean
  /** The last record that was looked at. */
  readonly position: number
}

/** Steps the next page: at once where it is in memory, as that of a live answer is. */
type Pager = () => AnswerPage | Promise<AnswerPage>

function createPager({ reader }: GatewayContext, started: StartedAnswer, wire: Wire): Pager {
  const { session, lost } = started
  const step = createStep(started, wire)
  const isSaid = lost && lost.length > 0 ? createSieve(lost) : undefined
  let position = started.from
  function take(records: readonly Rec[]): AnswerPage {
    position = records.at(-1)?.seq ?? position
    const taken = takeAll(isSaid ? records.filter(isSaid) : records, step)
    return { ...taken, isEmpty: records.length === 0, isFull: records.length === PAGE, position }
  }
  return () => {
    const atHand = reader.peek(session, position, PAGE)
    return atHand ? take(atHand) : reader.read(session, position, PAGE).then(take)
  }
}

function takeAll(records: readonly Rec[], step: Step): Stepped {
  const frames: SentFrame[] = []
  let begun: Pick<Stepped, 'start'> = {}
  for (const rec of records) {
    const { end, start, frames: more } = step(rec)
    frames.push(...more)
    if (start) begun = { start }
    if (end) return { frames, end, ...begun }
  }
  return { frames, ...begun }
}

/** The request asked for it itself, or gets the same in another way. */
const WANTED: ReadonlySet<string> = new Set(['fallback_model', 'json_by_tool', 'system_in_text'])

interface Circumstances {
  readonly removed: boolean
  readonly strict: boolean
  readonly position: number
}

function endOf(
  { frames, end, start }: Stepped,
  { removed, strict, position }: Circumstances,
): Ended | undefined {
  const refused = strict ? start?.warnings.find(warning => !WANTED.has(warning.code)) : undefined
  if (refused)
    return {
      ...without({ code: 'bad_request', message: refused.message, retryable: false }, position),
      refused: true,
    }
  if (end) return { ...end, last: frames }
  return removed ? without(REMOVED, position) : undefined
}

const without = (failure: Failure, seq: number): Ended => ({
  type: 'ended',
  last: [],
  failure,
  call: undefined,
  blocks: [],
  seq,
})

function createStep({ session, follow }: StartedAnswer, wire: Wire): Step {
  const project = wire.open({ session_id: session })
  const followed = createFollower(follow)
  const outline = createOutline()
  return rec => {
    const made = project(rec)
    const { shown, last } = followed(rec)
    if (!shown) return { frames: [] }
    const { ev } = rec
    outline.take(rec)
    // A pause whose answers are already there is not the end, and nothing of it is shown.
    if (!last && endsRun(ev.type) && ev.agent_run_id === undefined) return { frames: [] }
    const frames = made.map((frame, k) => ({ ...frame, id: encodeCursor(session, rec.seq, k) }))
    const failure = outline.failure()
    if (ev.type === 'message.started' && ev.agent_run_id === undefined)
      return { frames, start: { model: ev.model, warnings: ev.warnings ?? [] } }
    if (!last && !failure) return { frames }
    return { frames, end: { type: 'ended', failure, blocks: outline.blocks, ...endingOf(rec) } }
  }
}

function endingOf({ seq, ev }: Rec): Pick<Ended, 'call' | 'seq' | 'anew'> {
  const call =
    ev.type === 'run.paused' ? ev.pending.find(item => item.kind === 'client_tool')?.call_id : undefined
  return { call, seq, ...(ev.type === 'turn.started' ? { anew: true } : {}) }
}

/** Everything but what these messages said. That they broke off, and what they used, stays. */
function createSieve(lost: readonly string[]): (rec: Rec) => boolean {
  const blocks = new Set<string>()
  return ({ ev }) => {
    switch (ev.type) {
      case 'block.started':
        if (lost.includes(ev.message_id)) blocks.add(ev.block_id)
        return !blocks.has(ev.block_id)
      case 'block.delta':
      case 'block.completed':
        return !blocks.has(ev.block_id)
      default:
        return true
    }
  }
}

function poll(ms: number, ring: () => void): () => void {
  const timer = setInterval(ring, ms)
  timer.unref()
  return () => clearInterval(timer)
}

function createAlarm() {
  let rang = false
  let wake: () => void = () => {}
  return {
    ring: (): void => {
      rang = true
      wake()
    },
    reset: (): void => {
      rang = false
    },
    wait: (): Promise<void> =>
      rang
        ? Promise.resolve()
        : new Promise(resolve => {
            wake = resolve
          }),
  }
}
