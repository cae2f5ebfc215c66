/** Every sink gets the frames that a fold of the whole log gives, whatever the pages, the cache and the notifications. */
import {
  type Cursor,
  createSelector,
  encodeCursor,
  endsRun,
  type Follow,
  type Rec,
  START,
} from '@toolwire/core'
import {
  canonicalWire,
  chatWire,
  completionWire,
  encodeSse,
  type Frame,
  messagesWire,
  threadWire,
  type Wire,
} from '@toolwire/wire'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { randomLog } from '../../wire/test/random-log.ts'
import {
  collectSink,
  type FollowPlan,
  holdLast,
  PATIENT,
  recordSink,
  recordWire,
  type Sink,
  sseSink,
} from '../src/index.ts'
import { createGrowingLog, type GrowingLog, SESSION } from './growing-log.ts'

const WIRES: readonly Wire[] = [canonicalWire, chatWire, threadWire, completionWire, messagesWire]
const open: GrowingLog[] = []
afterEach(() => {
  for (const log of open.splice(0)) log.sessions.close()
})

async function start(...args: Parameters<typeof createGrowingLog>): Promise<GrowingLog> {
  const log = await createGrowingLog(...args)
  open.push(log)
  return log
}

interface Shown {
  readonly rec: Rec
  readonly frames: readonly Frame[]
  readonly first: number
  readonly isLast: boolean
}

interface Reference {
  readonly wire: Wire
  readonly target: Follow
  /** Vendor wires start before their response. */
  readonly from: number
}

/** The frames of a target after a cursor, from a fold of the log. */
function expected({ wire, target, from }: Reference, log: readonly Rec[], cursor: Cursor): readonly Shown[] {
  const step = wire.open({ session_id: SESSION })
  const select = createSelector(target)
  const out: Shown[] = []
  for (const rec of log.slice(from)) {
    const frames = step(rec)
    const { shown, last } = select(rec)
    const first = rec.seq > cursor.seq ? 0 : rec.seq < cursor.seq ? frames.length : cursor.k + 1
    if (shown && first < frames.length) out.push({ rec, frames: frames.slice(first), first, isLast: last })
    if (shown && last && (target.kind === 'run' || target.kind === 'answer')) break
  }
  return out
}

const toText = (shown: readonly Shown[]): string =>
  shown
    .flatMap(({ rec, frames, first }) =>
      frames.map((frame, i) => encodeSse({ ...frame, id: encodeCursor(SESSION, rec.seq, first + i) })),
    )
    .join('')

/** Targets of a log: each of its runs and answers, its latest conversation, and all of it. */
function targetsOf(log: readonly Rec[]): readonly Follow[] {
  return [
    ...log.flatMap(({ seq, ev }): readonly Follow[] => {
      if (ev.type === 'run.started' && ev.agent_run_id === undefined && ev.run_id !== undefined)
        return [
          { kind: 'run', run_id: ev.run_id },
          { kind: 'conversation', conversation_id: ev.conversation_id },
        ]
      return ev.type === 'input.tool_output' || ev.type === 'input.approval' ? [{ kind: 'answer', seq }] : []
    }),
    { kind: 'session' },
  ]
}

/** False for a target that the log leaves open. */
function hasEnd(log: readonly Rec[], target: Follow): boolean {
  const shown = log.map(createSelector(target)).filter(one => one.shown)
  if (target.kind === 'run' || target.kind === 'answer') return shown.some(one => one.last)
  return shown.at(-1)?.last === true
}

/** Vendor wires respond to runs and answers alone, and start right before them. */
const isServed = (wire: Wire, { kind }: Follow): boolean =>
  wire.memory !== 'answer' || kind === 'run' || kind === 'answer'

function afterOf(log: readonly Rec[], target: Follow): number | undefined {
  if (target.kind === 'answer') return target.seq - 1
  if (target.kind !== 'run') return undefined
  return log.findIndex(({ ev }) => ev.run_id === target.run_id)
}

interface Text extends Sink {
  text(): string
}

function textSink(chunk: number): Text {
  let text = ''
  const stream = {
    closed: false,
    onClose: () => () => {},
    start() {},
    destroy() {},
    write(more: string) {
      text += more
      return more.length % 2 === 0 ? Promise.resolve() : undefined
    },
  }
  return { ...sseSink(stream, SESSION, chunk), text: () => text }
}

const cases = fc.record({
  seed: fc.integer(),
  wire: fc.constantFrom(...WIRES),
  pick: fc.nat(),
  cut: fc.nat(),
  chunk: fc.constantFrom(1, 300, 16_384),
  pageSize: fc.constantFrom(undefined, 1, 7),
  hasCache: fc.boolean(),
  liveMax: fc.constantFrom(1, 3, 1000),
  shown: fc.nat(),
})

async function growToEnd(log: GrowingLog, length: number, isDone: () => boolean): Promise<void> {
  for (let i = 0; !isDone(); i++) {
    log.grow(1 + (i % 9), i % 3 !== 0)
    if (i > length) await new Promise(resolve => setTimeout(resolve, 1))
    else await new Promise(resolve => setImmediate(resolve))
  }
}

describe('follow', () => {
  it('steps a page that takes long in many turns of the event loop', async () => {
    const records = randomLog(1, { runs: 5, deltas: 3 })
    const log = await start(records, records.length, { hasCache: true, liveMax: 1000 })
    let clock = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (clock += 1000))
    const yielded = vi.spyOn(globalThis, 'setImmediate')
    const sink = collectSink(PATIENT)
    // A reader that keeps up: waiting for it gives nothing else a turn.
    const ready: Sink = { ...sink, flush: () => Promise.resolve() }
    await log.sessions.follow(
      { session: SESSION, wire: chatWire, target: { kind: 'session' }, cursor: START },
      ready,
    )
    const turns = yielded.mock.calls.length
    vi.restoreAllMocks()
    expect(turns).toBeGreaterThanOrEqual(records.length - 1)
    expect(sink.frames.length).toBeGreaterThan(0)
  })

  it('gives every sink the frames of a fold from the start', async () => {
    let frames = 0
    await fc.assert(
      fc.asyncProperty(cases, async given => {
        const { wire } = given
        const records = randomLog(given.seed, { runs: 5, deltas: 3 })
        const targets = targetsOf(records).filter(one => isServed(wire, one) && hasEnd(records, one))
        const target = targets[given.pick % targets.length]
        fc.pre(target !== undefined)
        const after = afterOf(records, target)
        const from = wire.memory === 'answer' ? (after ?? 0) : 0
        const reference = { wire, target, from }
        const whole = expected(reference, records, START)
        const seen = whole[given.cut % (whole.length + 1)]
        const cursor = seen ? { seq: seen.rec.seq, k: seen.first + (given.cut % seen.frames.length) } : START
        const rest = expected(reference, records, cursor)
        frames += rest.length
        // A run or an answer is followed while it happens; the rest of a log that has ended.
        const isLive = target.kind === 'run' || target.kind === 'answer'
        const shown = isLive ? (after ?? 0) + 1 + (given.shown % 9) : records.length
        const plan: FollowPlan = {
          session: SESSION,
          wire,
          target,
          cursor,
          ...(after === undefined ? {} : { after }),
        }
        async function run(sink: Sink): Promise<void> {
          const log = await start(records, Math.max(shown, cursor.seq), given)
          let isDone = false
          const sized = given.pageSize === undefined ? sink : { ...sink, pageSize: given.pageSize }
          const following = log.sessions.follow(plan, sized).finally(() => {
            isDone = true
          })
          await growToEnd(log, records.length, () => isDone)
          expect((await following).type).toBe('complete')
          log.sessions.close()
        }
        const text = textSink(given.chunk)
        await run(text)
        expect(text.text()).toBe(toText(rest))
        const collected = collectSink(PATIENT)
        await run(collected)
        expect(collected.frames).toEqual(rest.flatMap(one => one.frames))
        const held = collectSink(PATIENT)
        const holding = holdLast(held)
        await run(holding)
        await holding.release()
        const isAnsweredPause = ({ rec: { ev }, isLast }: Shown) =>
          isLive && !isLast && endsRun(ev.type) && ev.agent_run_id === undefined
        expect(held.frames).toEqual(rest.filter(one => !isAnsweredPause(one)).flatMap(one => one.frames))
      }),
      { numRuns: 80 },
    )
    expect(frames).toBeGreaterThan(100)
  })

  it('stays for what comes next when it is open-ended', async () => {
    const records = randomLog(3)
    const log = await start(records, 1)
    const sink = recordSink({
      isClosed: () => sink.records.length === records.length,
      onClose: () => () => {},
    })
    const plan = { session: SESSION, wire: recordWire, target: { kind: 'session' }, cursor: START } as const
    let isDone = false
    const following = log.sessions.follow({ ...plan, isOpenEnded: true }, sink).finally(() => {
      isDone = true
    })
    await growToEnd(log, records.length, () => isDone)
    expect((await following).type).toBe('closed')
    expect(sink.records).toEqual(records)
  })

  it.each([true, false])('ends when the session is deleted (notified: %s)', async isNotified => {
    const records = randomLog(3)
    const log = await start(records, 2)
    const plan = { session: SESSION, wire: recordWire, target: { kind: 'session' }, cursor: START } as const
    const following = log.sessions.follow({ ...plan, isOpenEnded: true }, recordSink(PATIENT))
    await new Promise(resolve => setImmediate(resolve))
    log.remove(isNotified)
    expect((await following).type).toBe('deleted')
  })

  it('ends at the time limit, and for a run that the log does not hold', async () => {
    const records = randomLog(3)
    const log = await start(records, records.length)
    const limit = new AbortController()
    const plan = { session: SESSION, wire: recordWire, cursor: START } as const
    const waiting = log.sessions.follow(
      { ...plan, target: { kind: 'session' }, isOpenEnded: true, until: limit.signal },
      recordSink(PATIENT),
    )
    await new Promise(resolve => setImmediate(resolve))
    limit.abort()
    expect((await waiting).type).toBe('timeout')
    const unknown = await log.sessions.follow(
      { ...plan, target: { kind: 'run', run_id: 'none' } },
      recordSink(PATIENT),
    )
    expect(unknown).toMatchObject({ type: 'unknown', isEmpty: true })
  })

  it('stops where its watcher says so, and holds the page', async () => {
    const records = randomLog(3)
    const log = await start(records, records.length)
    const sink = collectSink(PATIENT)
    const held = holdLast(sink)
    const end = await log.sessions.follow(
      {
        session: SESSION,
        wire: canonicalWire,
        target: { kind: 'session' },
        cursor: START,
        watcher: rec => (rec.seq === 5 ? 'stop' : undefined),
      },
      held,
    )
    expect(end).toMatchObject({ type: 'stopped', seq: 5 })
    expect(sink.frames).toEqual([])
    await held.release()
    expect(sink.frames).toHaveLength(5)
  })

  it('starts at the cursor where the wire allows it', async () => {
    const records = randomLog(3, { runs: 30 })
    const log = await start(records, records.length)
    const head = records.length
    await log.sessions.facts(SESSION)
    const before = log.reads.length
    const plan = { session: SESSION, target: { kind: 'session' }, cursor: { seq: head - 1, k: 0 } } as const
    await log.sessions.follow({ ...plan, wire: canonicalWire }, collectSink(PATIENT))
    expect(Math.min(...log.reads.slice(before))).toBeGreaterThanOrEqual(head - 2)
  })
})
