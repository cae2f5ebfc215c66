/** The session kernel: appends inputs, follows logs, and knows the facts of sessions. */
import {
  evolve,
  type Facts,
  type Ids,
  initial,
  readPages,
  type SessionLog,
  type SessionState,
  type StateSource,
  type Store,
} from '@toolwire/core'
import type { AnswerRules } from './answer-rules.ts'
import {
  type AppendReceipt,
  type AttachmentPort,
  type AuditPort,
  append,
  type Draft,
  type Waker,
} from './append.ts'
import { createFactsCache } from './facts-cache.ts'
import { type FollowEnd, follow } from './follow.ts'
import type { FollowPlan } from './follow-plan.ts'
import { createLogNotifier } from './log-notifier.ts'
import { createLogReader, type LogReader } from './log-reader.ts'
import { createSessionWatch } from './session-watch.ts'
import type { Sink } from './sinks/sink.ts'

export interface SessionsOptions {
  /** Scoped to the caller of each request: everything that is written goes through it. */
  readonly store: Pick<Store, 'append' | 'read'>
  /** Not scoped: for followers and timers. */
  readonly log: SessionLog
  readonly runtime: Waker
  readonly audit?: AuditPort | undefined
  /** Without it messages name no files. */
  readonly attachments?: AttachmentPort | undefined
  readonly rules: AnswerRules
  /** Folded states and facts; without it they are folded from the whole log. */
  readonly states?: StateSource | undefined
  readonly ids: Ids
  readonly now: () => Date
  /** Followers read the log at this interval even without a notification. */
  readonly pollMs: number
}

/** The time and the run id of a new input. */
export interface Stamp {
  readonly ts: string
  readonly run_id: string
}

export interface Sessions {
  /** See `append.ts`. */
  append(draft: Draft): Promise<AppendReceipt>
  /** See `follow.ts`. The sink gets no frame after the promise is settled. */
  follow(plan: FollowPlan, sink: Sink): Promise<FollowEnd>
  /** The facts of everything that was committed before the call. */
  facts(session: string): Promise<Facts>
  /** Returns what `select` finds in the facts, also if it ended long ago. */
  find<T>(session: string, select: (facts: Facts) => T | undefined): Promise<T | undefined>
  state(session: string): Promise<SessionState>
  readonly reader: LogReader
  readonly rules: AnswerRules
  readonly ids: Ids
  readonly now: () => Date
  stamp(): Stamp
  /** Drops the facts of one session, or of all of them. */
  forget(session?: string): void
  /** Stops the timer and the subscription to the store. Idempotent. */
  close(): void
}

export async function createSessions(options: SessionsOptions): Promise<Sessions> {
  const { log, store, runtime, audit, attachments, rules, states, ids, now } = options
  const reader = createLogReader(log)
  const facts = createFactsCache(reader, states)
  const notifier = await createLogNotifier(log)
  const watch = createSessionWatch(log, notifier, options.pollMs)
  return {
    append: draft => append({ store, audit, attachments, runtime }, draft),
    follow: (plan, sink) => follow({ reader, facts, watch }, plan, sink),
    facts: async session => (await facts.get(session)).facts,
    find: (session, select) => facts.find(session, select),
    state: async session => (states ? (await states.open(session)).state : await foldAll(reader, session)),
    reader,
    rules,
    ids,
    now,
    stamp: () => ({ ts: now().toISOString(), run_id: ids.uuid() }),
    forget: session => facts.forget(session),
    close() {
      watch.close()
      notifier.close()
    },
  }
}

async function foldAll(reader: LogReader, session: string): Promise<SessionState> {
  let state = initial()
  for await (const records of readPages(reader, session, { after: 0 })) state = records.reduce(evolve, state)
  return state
}
