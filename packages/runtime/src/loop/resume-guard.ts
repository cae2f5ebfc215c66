/**
 * Ends runs that end the process. Every process that resumes an interrupted session first notes so in its log; a
 * session that two processes noted at the same point, without progress since, is failed instead of resumed again.
 * Sessions with one such note are resumed one at a time, so that a crash is charged to the session that caused it.
 */
import type { AgentState, SessionEvent, SessionState } from '@toolwire/core'
import { type Clock, createAgentPort } from './agent-port.ts'
import { refusal } from './budget.ts'
import { closeAgent, closeAgents, failRun } from './end-run.ts'
import type { Journal } from './journal.ts'

/** Name of the note. Its value is an `Attempt`. */
const RESUME_NOTE = 'resume'

interface Attempt {
  /** The progress of the session when it was resumed. */
  readonly point: string
  /** The process that resumed it. */
  readonly process: string
  /** Processes that resumed it at this point and have not ended orderly. */
  readonly attempts: number
  /** Number of times that the process survived the session's watch time. */
  readonly survived: number
}

export interface ResumeGuard {
  /** To be called before a claimed session is driven, and `leave` afterwards. Rejects when the log cannot be written. */
  readonly enter: (journal: Journal, stop: AbortSignal) => Promise<Resumption>
}

interface Resumption {
  /** Takes the note back when the session was stopped in an orderly way. Never rejects. */
  readonly leave: () => Promise<void>
}

export interface ResumeGuardOptions {
  readonly clock: Clock
  /** Unique per process start. */
  readonly node: string
  /** Watch time of a suspect before the next one is resumed, the first time; it doubles each time. */
  readonly watchMs?: number
}

const MAX_ATTEMPTS = 2
const WATCH_MS = 5_000
/** Doublings of the time, so that a crash that comes late is charged to its session in the end. */
const MAX_DOUBLINGS = 7
const POLL_MS = 100

export function createResumeGuard(options: ResumeGuardOptions): ResumeGuard {
  const { clock, node, watchMs = WATCH_MS } = options
  let last: Promise<void> = Promise.resolve()

  /** Waits until every earlier caller has called the function that this resolves with. */
  async function takeTurn(stop: AbortSignal): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = last
    last = Promise.all([before, promise]).then(() => {})
    await Promise.race([before, aborted(stop)])
    return resolve
  }

  /** Ends the turn at the first progress, or when the process has outlived the time. */
  function watch(journal: Journal, attempt: Attempt, endTurn: () => void): () => void {
    // Counted in polls: a process that is too busy to poll has not outlived anything.
    let polls = (watchMs / POLL_MS) * 2 ** Math.min(attempt.survived, MAX_DOUBLINGS)
    const timer = setInterval(() => {
      const hasProgress = pointOf(journal.state) !== attempt.point
      polls -= 1
      if (!hasProgress && polls > 0) return
      clearInterval(timer)
      const outlived = { ...attempt, attempts: attempt.attempts - 1, survived: attempt.survived + 1 }
      const noted = hasProgress ? undefined : journal.commit(toNote(outlived, clock))
      void Promise.resolve(noted)
        .catch(() => {})
        .then(endTurn)
    }, POLL_MS).unref()
    return () => {
      clearInterval(timer)
      endTurn()
    }
  }

  return {
    async enter(journal, stop) {
      const before = attemptsOf(journal)
      if (!before) return { leave: async () => {} }
      const takeBack = async (): Promise<void> => {
        if (!stop.aborted || pointOf(journal.state) !== before.point) return
        await journal.commit(toNote({ ...before, process: node, attempts: 0 }, clock)).catch(() => {})
      }
      // This process lost the session and has it again: nothing crashed.
      if (before.process === node) return { leave: takeBack }
      if (before.attempts >= MAX_ATTEMPTS) {
        await journal.commit(...failCrashed(journal, clock))
        return { leave: takeBack }
      }
      const endTurn = before.attempts > 0 ? await takeTurn(stop) : () => {}
      const attempt = { ...before, process: node, attempts: before.attempts + 1 }
      try {
        if (!stop.aborted) await journal.commit(toNote(attempt, clock))
        await journal.catchUp()
      } catch (error) {
        endTurn()
        throw error
      }
      const unwatch = before.attempts > 0 ? watch(journal, attempt, endTurn) : endTurn
      return {
        async leave() {
          unwatch()
          await takeBack()
        },
      }
    },
  }
}

/** The attempts at the present point; undefined when nothing was interrupted. */
function attemptsOf({ state, epoch }: Journal): Attempt | undefined {
  // The first owner interrupts nothing: an imported conversation begins in the middle of a run.
  if (epoch <= 1 || runningIn(state).length === 0) return undefined
  const point = pointOf(state)
  const noted = state.notes?.[RESUME_NOTE] as Attempt | undefined
  return noted?.point === point ? noted : { point, process: '', attempts: 0, survived: 0 }
}

const toNote = (value: Attempt, clock: Clock): SessionEvent => ({
  type: 'note',
  ts: clock.now().toISOString(),
  name: RESUME_NOTE,
  value,
})

const runningIn = (state: SessionState): readonly (AgentState & { readonly agent_run_id?: string })[] =>
  [state, ...Object.values(state.agents)].filter(agent => agent.phase === 'running')

/** Changes with every completed turn and call. What a repeated attempt writes does not change it. */
const pointOf = (state: SessionState): string =>
  JSON.stringify(
    runningIn(state).map(({ agent_run_id, run, turns, turn, calls }) => [
      agent_run_id ?? '',
      run?.run_id,
      turns,
      turn ? 0 : calls.filter(call => !call.outcome).length,
    ]),
  )

/** Ends everything in the session that runs: any of it may be the cause. */
function failCrashed(journal: Journal, clock: Clock): readonly SessionEvent[] {
  const { state } = journal
  const now = clock.now()
  const stamp = createAgentPort(journal, clock).stamp()
  const error = refusal(
    'run_crashed',
    `The server process ended ${MAX_ATTEMPTS} times while it worked on this step, so the run was stopped. Send a new message to try again.`,
  )
  const closing = { stamp, now, reason: error.message }
  const background = Object.values(state.agents)
    .filter(agent => agent.spec.background && !agent.ended && !agent.finished && agent.phase !== 'paused')
    .flatMap(agent => closeAgent(state, agent, closing))
  if (state.phase !== 'running') return background
  return [...background, ...closeAgents(state, undefined, closing), ...failRun(state, stamp, now, error)]
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
