/** Makes another version of a message, for every route that can ask for one. */
import { AppError, type ContentPart, type Facts, type SessionState } from '@toolwire/core'
import {
  appendBranch,
  type BranchedMessage,
  type BranchIds,
  findOpened,
  findReplaced,
  type OpenedBranch,
  type ReplacedPart,
} from '@toolwire/session'
import { recordAudit } from '../access/record-audit.ts'
import type { ServerContext } from '../context.ts'
import { CONVERSATION_LABELS } from '../gateway/session-index.ts'
import { idFromKey } from '../sessions/id-from-key.ts'
import { type Effects, effectsOf, toBranchNote } from './branch-effects.ts'

export interface VersionRequest {
  readonly session: string
  /** The message, or its answer; the latest answer when absent. */
  readonly message_id?: string | undefined
  /** The new content; another answer to the same message when absent. */
  readonly content?: readonly ContentPart[]
  readonly changes: BranchedMessage
  readonly effects: 'keep' | 'restore'
  readonly background: 'keep' | 'stop'
  readonly interrupt: boolean
  /** Waits for the end of a run in progress, where neither this nor `interrupt` is a rejection. */
  readonly waits?: boolean
  readonly key?: string | undefined
}

export interface Version extends OpenedBranch {
  readonly effects: Effects
  /** Messages that wait and run after it. */
  readonly queued: readonly string[]
}

const NO_EFFECTS: Effects = { files: [], commands: [], calls: [] }

/**
 * Opens a branch. A repeated key gets the first branch. Throws `message_not_found`, `limit_reached`, `conflict`, and
 * `session_running` for a running session without `interrupt`.
 */
export async function openVersion(context: ServerContext, request: VersionRequest): Promise<Version> {
  const { sessions } = context
  const { session, content } = request
  const ids = toIds(context, request)
  const before = request.key === undefined ? undefined : await findOpened(sessions, session, ids, content)
  if (before) return { ...before, effects: NO_EFFECTS, queued: [] }
  const state = await sessions.state(session)
  const facts = await sessions.facts(session)
  checkState(state, facts, request.interrupt || request.waits === true)
  const part = findReplaced(state, request.message_id)
  const effects = await effectsOf(context, session, part.replaced, request.effects !== 'restore')
  const note = toBranchNote(await effectsOf(context, session, part.left))
  const opened = await appendBranch(sessions, {
    session,
    part,
    message: {
      ...request.changes,
      ...(content ? { content } : {}),
      ...(note === undefined ? {} : { note }),
    },
    ids,
    interrupts: request.interrupt && isRunning(facts),
    labels: CONVERSATION_LABELS,
    stops: request.background === 'stop' ? agentsOf(facts, part) : [],
  })
  if (request.effects === 'restore')
    await recordAudit(context, 'branch.restored', {
      session_id: session,
      details: { branch_id: opened.branch_id, files: effects.files.length },
    })
  return { ...opened, effects, queued: Object.values(facts.queued) }
}

/** The effects of what would be replaced. Throws `message_not_found`. */
export async function previewVersion(
  context: ServerContext,
  session: string,
  message_id: string | undefined,
): Promise<Effects> {
  const { replaced } = findReplaced(await context.sessions.state(session), message_id)
  return await effectsOf(context, session, replaced)
}

function toIds({ ids, principal }: ServerContext, { session, key }: VersionRequest): BranchIds {
  const id = key === undefined ? ids.uuid() : idFromKey('branch', principal().owner, `${session} ${key}`)
  const hex = id.replaceAll('-', '')
  return { branch_id: `br_${hex}`, message_id: `msg_${hex}`, run_id: id }
}

function checkState(state: SessionState, facts: Facts, mayRun: boolean): void {
  const engine = state.created?.metadata?.['engine']
  if (engine !== undefined && engine !== 'standard')
    throw new AppError(
      'conflict',
      'The engine of this session keeps its own history: fork the session instead.',
    )
  if (isRunning(facts) && !mayRun) throw new AppError('session_running')
}

/** A pause is no obstacle: what waits for an answer is withdrawn. */
const isRunning = (facts: Facts): boolean => facts.isStarted && !facts.isPaused

/** Agents in the background that the replaced part started. */
const agentsOf = (facts: Facts, { replaced }: ReplacedPart): readonly string[] => {
  const [first] = replaced
  const branches = new Set(replaced.map(({ branch }) => branch))
  return facts.background
    .filter(({ id, isRoot }) => {
      const at = facts.unreported[id]
      return isRoot && at !== undefined && at.seq >= (first?.seq ?? 0) && branches.has(at.branch)
    })
    .map(({ id }) => id)
}
