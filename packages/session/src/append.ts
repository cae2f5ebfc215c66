/** The only way in for inputs: writes a draft and reads the store's answer, in one way for all of them. */
import {
  AppError,
  type Append,
  type AppendResult,
  type Seq,
  type SessionEvent,
  type Store,
} from '@toolwire/core'

/** Writes that belong together, before anything of them is stored. */
export interface Draft {
  readonly writes: readonly Append[]
  /** Appended in the same call; their results do not matter. */
  readonly also?: readonly Append[]
  /** Wakes the runtime after the commit. */
  readonly wakes: boolean
  /** The id to create the session under when the first one is taken. */
  readonly fallbackId?: () => string
  /** Resolves before anything is appended there; called again for a fallback id. */
  readonly beforeAppend?: (session: string) => Promise<void>
  /** Compares the draft with what was recorded under the same key or id; returns the error to throw, if any. */
  readonly compare?: (recorded: SessionEvent) => AppError | undefined
}

export interface AppendReceipt {
  /** The session of the first write. */
  readonly session: string
  /** One for each write. */
  readonly items: readonly AppendItem[]
}

export interface AppendItem {
  /** Of the first event of the write, or of the earlier one under the same key. */
  readonly seq: Seq
  /** False if the key, or the id, was used before. Then nothing was written. */
  readonly isFirst: boolean
  /** The event that was recorded before. */
  readonly recorded?: SessionEvent
}

/** Audits the decisions among the writes. */
export interface AuditPort {
  /** Resolves when the plan is stored; a decision that cannot be audited is not written. Undefined: nothing to audit. */
  plan(write: Append): Promise<AuditPlan | undefined>
}

interface AuditPlan {
  settle(isWritten: boolean): Promise<void>
}

/** Files that messages name, and inline data that is stored as one. */
export interface AttachmentPort {
  /** The events as they are appended. Throws `file_not_found`, and what the store of files throws. */
  settle(write: Append): Promise<readonly SessionEvent[]>
}

/** Something was appended: look at the session. Never throws, never blocks. */
export interface Waker {
  wake(session: string): void
}

export interface AppendDeps {
  /** Scoped to the caller. */
  readonly store: Pick<Store, 'append' | 'read'>
  readonly audit?: AuditPort | undefined
  readonly attachments?: AttachmentPort | undefined
  readonly runtime: Waker
}

/**
 * Appends the draft and wakes the runtime. Each write is all or nothing. Throws `session_not_found`,
 * `session_deleted`, `session_exists`, `conflict`, or the error of `compare`.
 */
export async function append(deps: AppendDeps, draft: Draft): Promise<AppendReceipt> {
  const results = await write(deps, draft)
  const [first] = results
  if (draft.fallbackId && first && !('head' in first)) return await appendElsewhere(deps, draft)
  const items: AppendItem[] = []
  for (const [i, one] of draft.writes.entries()) items.push(await toItem(deps, draft, one, results[i]))
  return { session: draft.writes[0]?.session ?? '', items }
}

async function appendElsewhere(deps: AppendDeps, draft: Draft): Promise<AppendReceipt> {
  const { fallbackId, also: _, ...rest } = draft
  const session = fallbackId?.() ?? ''
  const again = { ...rest, writes: draft.writes.map(one => ({ ...one, session })) }
  const [result] = await write(deps, again)
  if (!result || !('head' in result)) throw new AppError('conflict')
  return { session, items: [{ seq: firstSeq(result.head, again.writes[0]), isFirst: true }] }
}

/** The plan and the audit are durable before the write; the runtime is woken after the commit, whatever happens then. */
async function write(deps: AppendDeps, draft: Draft): Promise<readonly AppendResult[]> {
  const { also = [] } = draft
  const writes: Append[] = []
  for (const one of draft.writes)
    writes.push(deps.attachments ? { ...one, events: await deps.attachments.settle(one) } : one)
  await draft.beforeAppend?.(writes[0]?.session ?? '')
  const plans: (AuditPlan | undefined)[] = []
  for (const one of writes) plans.push(await deps.audit?.plan(one))
  const results = await deps.store.append([...writes, ...also])
  try {
    for (const [i, plan] of plans.entries()) await plan?.settle('head' in (results[i] ?? {}))
  } finally {
    const sessions = new Set([...(draft.wakes ? writes : []), ...also].map(one => one.session))
    for (const session of sessions) deps.runtime.wake(session)
  }
  return results
}

async function toItem(
  { store }: AppendDeps,
  draft: Draft,
  one: Append,
  result: AppendResult | undefined,
): Promise<AppendItem> {
  if (!result) throw new AppError('conflict')
  if ('head' in result) return { seq: firstSeq(result.head, one), isFirst: true }
  if ('missing' in result)
    throw new AppError(one.create || result.missing === 'deleted' ? 'session_deleted' : 'session_not_found')
  const seq = 'dup' in result ? result.dup : 1
  if (!('dup' in result) && !draft.compare) throw new AppError(one.create ? 'session_exists' : 'conflict')
  const [rec] = await store.read(one.session, seq - 1, 1)
  if (!rec) throw new AppError('conflict')
  const problem = draft.compare?.(rec.ev)
  if (problem) throw problem
  return { seq, isFirst: false, recorded: rec.ev }
}

/** The store reports the seq of the last event. */
const firstSeq = (head: Seq, one: Append | undefined): Seq =>
  head - Math.max(0, (one?.events.length ?? 1) - 1)
