/**
 * Runs sessions: at most one runner per session in this process, woken by inputs,
 * by a restart (sessions that were running) and by the clock (expiries). It knows no HTTP.
 */
import type { Claimed, Ids, ModelFinder, SessionLog } from '@toolwire/core'
import { type Engines, engineOf } from './engines/engine.ts'
import { type Clock, createAgentPort } from './loop/agent-port.ts'
import type { DriveDeps } from './loop/drive.ts'
import { dueAnswers, nextDeadline } from './loop/expire.ts'
import { FencedError, Journal } from './loop/journal.ts'
import { createWork } from './loop/work.ts'
import type { ToolSystem } from './tools/tool-system.ts'

export interface RuntimeOptions {
  readonly log: SessionLog
  readonly models: ModelFinder
  readonly tools: ToolSystem
  readonly ids: Ids
  readonly clock: Clock
  /** Unique per process start: ownership by an earlier process never counts as ours. */
  readonly node: string
  readonly toolNames: readonly string[]
  readonly maxTurns: number
  readonly leaseMs?: number
  /** What may drive sessions instead of the loop alone. Closed by their owner, after `stop`. */
  readonly engines?: Engines
  /** Bugs only; outcomes of models and tools are events. */
  readonly onError: (error: unknown, session: string) => void
}

export interface Runtime {
  /** Something was appended for this session: run it, or let its runner look again. Never throws, never blocks. */
  wake(session: string): void
  /** Takes up what an earlier process left running, and keeps the lease alive. */
  start(): Promise<void>
  /** Stops runners where they are; open work is taken up by the next start. */
  stop(): Promise<void>
  /** Resolves when no runner is active (tests, drain). */
  settled(): Promise<void>
}

interface Runner {
  readonly done: Promise<void>
  again: boolean
  look: () => void
}

/** Sessions taken up by one claim. */
const CLAIM = 100
/** Between attempts to give a session up while the store cannot be written. */
const GIVE_UP_MS = 1000

export function createRuntime(options: RuntimeOptions): Runtime {
  const { log, node } = options
  const leaseMs = options.leaseMs ?? 15_000
  const runners = new Map<string, Runner>()
  const stopping = new AbortController()
  let unwatch: (() => void) | undefined
  let timer: NodeJS.Timeout | undefined

  function wake(session: string): void {
    if (stopping.signal.aborted) return
    const runner = runners.get(session)
    if (runner) {
      runner.again = true
      runner.look()
      return
    }
    spawn(session)
  }

  function spawn(session: string, claimed?: Claimed): void {
    const runner: Runner = { done: Promise.resolve(), again: false, look: () => {} }
    runners.set(session, runner)
    const done = runSession(session, runner, claimed)
      .catch(error => {
        if (!(error instanceof FencedError) && !stopping.signal.aborted) options.onError(error, session)
      })
      .finally(() => {
        // A claim by the clock may have registered another runner meanwhile.
        if (runners.get(session) === runner) runners.delete(session)
        // An input may have been appended after the release and before this line.
        if (runner.again) wake(session)
      })
    Object.assign(runner, { done })
  }

  async function runSession(session: string, runner: Runner, given?: Claimed): Promise<void> {
    const claimed = given ?? (await log.claim({ node, ttlMs: leaseMs, max: 1, session }))[0]
    if (!claimed) return
    let journal: Journal | undefined
    try {
      journal = await Journal.open(log, claimed, stopping.signal)
      await runClaimed(session, runner, journal)
    } catch (error) {
      if (error instanceof FencedError || stopping.signal.aborted) throw error
      options.onError(error, session)
      await giveUp(log, claimed, journal?.w ?? 0, stopping.signal)
    }
  }

  async function runClaimed(session: string, runner: Runner, journal: Journal): Promise<void> {
    const port = createAgentPort(journal, options.clock)
    const deps = driveDeps(options)
    const work = createWork(port, { deps, clock: options.clock }, stopping.signal)
    runner.look = () => {
      journal.catchUp().then(work.checkCancel, error => options.onError(error, session))
    }
    for (;;) {
      await expire(log, journal, options.clock)
      const engine = engineOf(journal.state, options.engines)
      await engine.drive({ port, deps, work: work.next, stop: stopping.signal })
      if (stopping.signal.aborted) return
      // Inputs from before this line make the release fail; wakes from after it find `again`.
      runner.again = false
      if (await journal.release(closing(journal))) return
    }
  }

  async function claimDue(): Promise<void> {
    for (;;) {
      const claimed = await log.claim({ node, ttlMs: leaseMs, max: CLAIM })
      for (const one of claimed) spawn(one.session, one)
      if (claimed.length < CLAIM) return
    }
  }

  return {
    wake,
    async start() {
      unwatch = await log.watch((session, head) => {
        if (head > 0) runners.get(session)?.look()
      })
      await claimDue()
      timer = setInterval(() => {
        claimDue().catch(error => options.onError(error, '*'))
      }, leaseMs / 3)
      timer.unref()
    },
    async stop() {
      stopping.abort()
      clearInterval(timer)
      unwatch?.()
      await Promise.allSettled([...runners.values()].map(r => r.done))
    },
    async settled() {
      while (runners.size > 0) await Promise.all([...runners.values()].map(r => r.done))
    },
  }
}

/** Gives the answers that the clock gives, before anything else is done. */
async function expire(log: SessionLog, journal: Journal, clock: Clock): Promise<void> {
  const due = dueAnswers(journal.session, journal.state, clock.now())
  if (due.length === 0) return
  await log.append(due)
  await journal.catchUp()
}

/** Lets the next tick take the session up again under a new epoch: what we own ourselves we never claim. */
async function giveUp(log: SessionLog, claimed: Claimed, w: number, stop: AbortSignal): Promise<void> {
  const { session, epoch } = claimed
  for (let at = claimed.head; !stop.aborted; ) {
    try {
      const [answer] = await log.append([{ session, events: [], as: { epoch, w: w + 1 }, releaseIfHead: at }])
      if (!answer || !('conflict' in answer) || answer.conflict === at) return
      at = answer.conflict
    } catch {
      await new Promise(resolve => setTimeout(resolve, GIVE_UP_MS))
    }
  }
}

function driveDeps(options: RuntimeOptions): DriveDeps {
  return {
    models: options.models,
    tools: options.tools,
    now: options.clock.now,
    newId: options.ids.prefixed,
    defaults: {
      toolNames: options.toolNames,
      provider: 'native',
      max_turns: options.maxTurns,
      newUuid: options.ids.uuid,
    },
  }
}

/** List columns at rest; the log itself holds the same facts. */
function closing(journal: Journal): Parameters<Journal['release']>[0] {
  const { state } = journal
  return {
    state: state.phase === 'paused' ? 'paused' : 'idle',
    index: {
      wakeAt: nextDeadline(state),
      labels: {
        model: state.model,
        conversations: String(state.conversations),
        provider_session_id: state.provider_session_id ?? null,
        error: state.last_error?.code ?? null,
      },
    },
  }
}
