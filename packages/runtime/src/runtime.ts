/**
 * Runs sessions: at most one runner per session in this process, woken by inputs,
 * by a restart (sessions that were running) and by the clock (expiries). It knows no HTTP.
 */
import {
  type ClaimedSession,
  type Effort,
  type Ids,
  type ModelChooser,
  type ModelFinder,
  next,
  type PromptSource,
  type RunLimits,
  type SessionLog,
  type StateSource,
  type ToolSystem,
} from '@toolwire/core'
import { type Engines, engineOf } from './engine.ts'
import { type Clock, createAgentPort } from './loop/agent-port.ts'
import { createBackgroundAgents, hasWaitingAgents } from './loop/background.ts'
import type { MediaBudget } from './loop/bound-media.ts'
import type { DriveDeps } from './loop/drive.ts'
import { dueAnswers, nextDeadline, toWithdrawal } from './loop/expire.ts'
import { FencedError, Journal } from './loop/journal.ts'
import { createLease, type Ownership } from './loop/lease.ts'
import type { FileReader } from './loop/request-messages.ts'
import { createResumeGuard, type ResumeGuard } from './loop/resume-guard.ts'
import { claimSession, createSessionClaimer, type OwnedSession } from './loop/session-claimer.ts'
import { createStepContexts } from './loop/step-contexts.ts'

export interface RuntimeOptions {
  readonly log: SessionLog
  /** State between runs; without it every run reads its session's whole log. */
  readonly states?: StateSource
  readonly models: ModelFinder
  /** Chooses the model of a run by the id that it names; that id itself when absent. */
  readonly choose?: ModelChooser
  readonly tools: ToolSystem
  readonly ids: Ids
  readonly clock: Clock
  /** Unique per process start: ownership by an earlier process never counts as ours. */
  readonly node: string
  readonly toolNames: readonly string[]
  readonly maxTurns: number
  /** Limits of every run, and its fallback models unless the request names others. */
  readonly limits?: Omit<RunLimits, 'max_turns'>
  /** Effort of thinking that models are asked for in runs whose message and session ask for nothing else. */
  readonly effort?: Effort
  /** Lease duration. */
  /** Limits on images and documents of one model request. */
  readonly media?: MediaBudget
  /** Files that messages name; models read that they are gone without it. */
  readonly files?: FileReader
  /** True if a history that outgrew its model is compacted; true if absent. */
  readonly compaction?: boolean
  /** For models without a price in runs with a budget in money; they are allowed when absent. */
  readonly unpriced?: 'allow' | 'refuse'
  /** The reason that the payer of a run (a key) may not ask the model now; asked before every request. */
  readonly refuse?: (key: string | undefined, model: string) => Promise<string | undefined>
  /** The prompt of sessions that ask for one; they get no words but their own when absent. */
  readonly prompt?: PromptSource
  readonly leaseMs?: number
  /** True if other processes use the same log: then a node that cannot renew its lease stops by itself. */
  readonly shared?: boolean
  /** Watch time of a session that may have crashed an earlier process, before the next such one is resumed. */
  readonly watchMs?: number
  /** Engines that may drive sessions instead of the loop alone. Closed by their owner, after `stop`. */
  readonly engines?: Engines
  /** Bugs only; outcomes of models and tools are events. */
  readonly onError: (error: unknown, session: string) => void
}

export interface Runtime {
  /** Something was appended for this session: run it, or let its runner look again. Never throws, never blocks. */
  wake(session: string): void
  /** The name under which this process has its lease; another one once that was lost. */
  node(): string
  /** Resumes runs that an earlier process left, and keeps the lease alive. */
  start(): Promise<void>
  /** Takes nothing new up and waits, at most so long, until the runners have come to an end. Then call `stop`. */
  drain(graceMs: number): Promise<void>
  /** Stops runners where they are; open work is resumed by the next start, or at once by another node. */
  stop(): Promise<void>
  /** Resolves when no runner is active (tests, drain). */
  settled(): Promise<void>
}

interface Runner {
  readonly done: Promise<void>
  again: boolean
  /** Reads remote events; `head` is the end of the log if a hint gave it. */
  look: (head?: number) => void
}

/** Between attempts to give a session up while the store cannot be written. */
const GIVE_UP_MS = 1000

export function createRuntime(options: RuntimeOptions): Runtime {
  const { log, node, shared = false } = options
  const leaseMs = options.leaseMs ?? 15_000
  const runners = new Map<string, Runner>()
  const lease = createLease({ log, node, leaseMs, shared, known: () => [...runners.keys()] })
  const stopping = new AbortController()
  const stops = new WeakMap<Ownership, AbortSignal>()
  const deps = driveDeps(options, wake)
  const guard = createResumeGuard(options)
  let unwatch: (() => void) | undefined
  let draining = false
  const lookout = createSessionClaimer({
    lease,
    leaseMs,
    shared,
    take: owned => spawn(owned.claimed.session, owned),
    onError: options.onError,
  })

  function wake(session: string): void {
    if (stopping.signal.aborted) return
    const runner = runners.get(session)
    if (runner) {
      runner.again = true
      runner.look()
      return
    }
    // Other nodes find sessions that are not started here.
    if (!draining) spawn(session)
  }

  function spawn(session: string, claimed?: OwnedSession): void {
    const runner: Runner = { done: Promise.resolve(), again: false, look: () => {} }
    runners.set(session, runner)
    const done = runSession(session, runner, claimed)
      .catch(error => {
        if (!(error instanceof FencedError) && !stopping.signal.aborted) lookout.report(error, session)
      })
      .finally(() => {
        // A claim by the clock may have registered another runner meanwhile.
        if (runners.get(session) === runner) runners.delete(session)
        // An input may have been appended after the release and before this line.
        if (runner.again) wake(session)
      })
    Object.assign(runner, { done })
  }

  /** Aborted when the process stops or its right is over. One for all sessions of a right: they are many, and it is not small. */
  function stopOf(hold: Ownership): AbortSignal {
    const stop = stops.get(hold) ?? AbortSignal.any([stopping.signal, hold.signal])
    stops.set(hold, stop)
    return stop
  }

  async function runSession(session: string, runner: Runner, given?: OwnedSession): Promise<void> {
    const owned = given ?? (await claimSession(lease, session))
    if (!owned) return
    const { claimed, hold } = owned
    const stop = stopOf(hold)
    let journal: Journal | undefined
    try {
      const { states } = options
      journal = await Journal.open(log, claimed, stop, { holds: hold.isCurrent, states })
      await driveGuarded(journal, runner, { options, deps, guard, stop })
    } catch (error) {
      if (error instanceof FencedError || stop.aborted) throw error
      options.onError(error, session)
      await giveUp(log, claimed, journal?.w ?? 0, stop)
    }
  }

  return {
    wake,
    node: lease.node,
    async start() {
      unwatch = await log.watch(toHint(runners))
      await lookout.start()
    },
    async drain(graceMs) {
      draining = true
      lookout.stopClaiming()
      const over = new Promise<void>(resolve => setTimeout(resolve, graceMs).unref())
      await Promise.race([over, settle(runners)])
    },
    async stop() {
      stopping.abort()
      unwatch?.()
      await lookout.stop()
      await Promise.allSettled([...runners.values()].map(r => r.done))
      await lease.end()
    },
    settled: () => settle(runners),
  }
}

const toHint =
  (runners: ReadonlyMap<string, Runner>) =>
  (session: string, head: number): void => {
    if (session === '*') for (const runner of runners.values()) runner.look()
    else if (head > 0) runners.get(session)?.look(head)
  }

async function settle(runners: ReadonlyMap<string, Runner>): Promise<void> {
  while (runners.size > 0) await Promise.all([...runners.values()].map(r => r.done))
}

interface Drive {
  readonly options: RuntimeOptions
  readonly deps: DriveDeps
  readonly guard: ResumeGuard
  readonly stop: AbortSignal
}

async function driveGuarded(journal: Journal, runner: Runner, drive: Drive): Promise<void> {
  const { leave } = await drive.guard.enter(journal, drive.stop)
  await driveOwned(journal, runner, drive).finally(leave)
}

/** Drives the root agent, and those in the background beside it, until nothing is left to do; then gives the session up. */
async function driveOwned(journal: Journal, runner: Runner, { options, deps, stop }: Drive): Promise<void> {
  const { log, clock, ids } = options
  const port = createAgentPort(journal, clock)
  const detach = (): void => background.start()
  const look = (): void => background.look()
  const shared = { deps, clock, detach, look }
  const background = createBackgroundAgents(journal, { ...shared, log, newUuid: ids.uuid }, stop)
  const work = createStepContexts(port, shared, stop)
  const check = (): void => {
    work.checkCancel()
    background.look()
  }
  journal.onRemoteEvents = check
  runner.look = head => {
    // Most hints are about own writes, which the journal knows.
    if (head !== undefined && head <= journal.expected) return
    journal.catchUp({ live: true }).catch(error => options.onError(error, journal.session))
  }
  for (;;) {
    await expire(log, journal, clock)
    background.start()
    await engineOf(journal.state, options.engines).drive({ port, deps, work: work.next, stop })
    if (stop.aborted) return await background.stopped()
    if (await background.tell()) continue
    if (background.busy()) {
      await background.changed()
      continue
    }
    options.tools.sweep?.(journal.session, journal.state)
    // Inputs from before this line make the release fail; wakes from after it find `again`.
    runner.again = false
    // An input may have been read since the last step, so that the head includes it.
    if (await journal.release(closing(journal), state => next(state, state.agents).do === 'rest')) return
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
async function giveUp(log: SessionLog, claimed: ClaimedSession, w: number, stop: AbortSignal): Promise<void> {
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

/** One for all sessions; what may change in the meantime is read when it is needed. */
function driveDeps(options: RuntimeOptions, wake: (session: string) => void): DriveDeps {
  return {
    models: options.models,
    choose: options.choose,
    tools: options.tools,
    ...(options.media === undefined ? {} : { media: options.media }),
    ...(options.files === undefined ? {} : { files: options.files }),
    ...(options.compaction === undefined ? {} : { compaction: options.compaction }),
    ...(options.unpriced === undefined ? {} : { unpriced: options.unpriced }),
    ...(options.refuse === undefined ? {} : { refuse: options.refuse }),
    ...(options.prompt === undefined ? {} : { prompt: options.prompt }),
    now: options.clock.now,
    newId: options.ids.prefixed,
    async record(session, event) {
      await options.log.append([{ session, events: [event] }])
    },
    async withdraw(session, question) {
      await options.log.append([toWithdrawal(session, question, options.clock.now())])
      wake(session)
    },
    get defaults() {
      return {
        toolNames: options.toolNames,
        provider: 'native',
        max_turns: options.maxTurns,
        ...(options.limits === undefined ? {} : { limits: options.limits }),
        effort: options.effort,
        newUuid: options.ids.uuid,
      }
    },
  }
}

/** List columns of an idle session; the log itself holds the same facts. */
function closing(journal: Journal): Parameters<Journal['release']>[0] {
  const { state } = journal
  return {
    state: state.phase === 'paused' || hasWaitingAgents(state) ? 'paused' : 'idle',
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
