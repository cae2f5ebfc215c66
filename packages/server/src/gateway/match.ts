/** Decides which session answers a request of a vendor wire. Pure: it asks for one lookup at a time, in order. */
import { AppError, type SessionRow } from '@toolwire/core'
import type { Warning } from '@toolwire/wire'
import { LABELS } from './session-index.ts'

/** A request, as far as it decides about its session. */
export interface Question {
  readonly tail: 'results' | 'message' | 'continue'
  /** The request holds an assistant message. */
  readonly hasAnswer: boolean
  /** Nothing but user messages follows the latest assistant message. */
  readonly isPlain: boolean
  /** User messages alone: they add to the session that the request names. */
  readonly isAddition: boolean
  /** Chains up to and including the latest assistant message: of every character, and of the echo. */
  readonly chain: string
  readonly echo: string
  readonly owner: string
  readonly setup: string
  /** Ids of the calls of its history, the latest message first; none in the dialect without ids. */
  readonly calls: readonly string[]
  /** Ids of the calls that the request brings results for. */
  readonly results: readonly string[]
  /** The id for a session that the request names and that does not exist yet. */
  readonly ownId: string | undefined
  readonly isNamed: boolean
  readonly hasUser: boolean
}

export type Lookup = 'call' | 'named' | 'user' | 'chain' | 'echo'
/** A lookup that found no session is `null`. */
export type Lookups = Readonly<Partial<Record<Lookup, SessionRow | null>>>

export type Match =
  | ContinueMatch
  /** The message takes the place of what the named session waits for. */
  | { readonly do: 'add'; readonly row: SessionRow; readonly otherwise: AppError }
  | ImportMatch

interface ContinueMatch {
  /** With the results that it waits for, or with a further message. */
  readonly do: 'answer' | 'append'
  readonly row: SessionRow
  readonly warnings: readonly Warning[]
  readonly otherwise: ImportMatch
}

interface ImportMatch {
  readonly do: 'import'
  readonly id: string | undefined
  /** Knows the conversation, or a part of it. */
  readonly source: SessionRow | undefined
  /** The new session replaces it: its waiting calls are closed. */
  readonly replaces: SessionRow | undefined
  readonly warnings: readonly Warning[]
}

export function match(question: Question, known: Lookups): { readonly need: Lookup } | Match {
  for (const lookup of lookupsOf(question)) {
    const row = known[lookup]
    if (row === undefined) return { need: lookup }
    if (row && question.hasAnswer && isSame(question, row)) return decide(question, known, row)
  }
  return decide(question, known, undefined)
}

function lookupsOf(question: Question): readonly Lookup[] {
  const named = question.isNamed ? (['named'] as const) : []
  if (!question.hasAnswer) return named
  const call = question.calls.length > 0 ? (['call'] as const) : []
  const user = question.hasUser ? (['user'] as const) : []
  return [...call, ...named, ...user, 'chain', 'echo']
}

const isSame = (question: Question, row: SessionRow): boolean =>
  isExact(question, row) ||
  row.labels[question.tail === 'results' ? LABELS.echo_asked : LABELS.echo] === question.echo

/** Results belong to the pause that asked for them, also if the session has continued since. */
const isExact = ({ tail, chain }: Question, { labels }: SessionRow): boolean =>
  labels[tail === 'results' ? LABELS.asked : LABELS.chain] === chain

function decide(question: Question, known: Lookups, same: SessionRow | undefined): Match {
  const { tail, setup, isPlain, isAddition } = question
  const otherwise = toImport(question, known, same)
  const warnings = same && !isExact(question, same) ? [KEPT] : []
  if (same && tail === 'results' && same.labels[LABELS.setup] === setup)
    return { do: 'answer', row: same, warnings, otherwise }
  if (same && tail === 'message' && isPlain) return { do: 'append', row: same, warnings, otherwise }
  if (known.named && isAddition) return { do: 'add', row: known.named, otherwise: BUSY }
  return otherwise
}

const KEPT: Warning = {
  code: 'history_kept',
  message: 'The session continues with its messages as recorded; the request brings some of them changed.',
}
const BUSY = new AppError('conflict', 'The named session is busy; wait for its response.')

function toImport(question: Question, known: Lookups, same: SessionRow | undefined): ImportMatch {
  const { owner, results, ownId } = question
  const isOwn = (row: SessionRow | null | undefined): row is SessionRow => row?.labels[LABELS.owner] === owner
  // Another conversation replaces it only with a result: a request about an open call may be a side request.
  const isReplaced = (row: SessionRow | null | undefined): row is SessionRow =>
    isOwn(row) && results.includes(row.labels[LABELS.call] ?? '')
  const near = isOwn(known.call) ? known.call : undefined
  const named = known.named ?? undefined
  return {
    do: 'import',
    id: known.named === null ? ownId : undefined,
    source: same ?? near ?? named,
    replaces: same ?? [near, named, known.user].find(isReplaced),
    warnings: toWarnings(question, same ?? near, named),
  }
}

const REBUILT = 'session_rebuilt'

function toWarnings(
  { tail, isAddition }: Question,
  near: SessionRow | undefined,
  named: SessionRow | undefined,
): readonly Warning[] {
  if (tail === 'results')
    return [
      {
        code: REBUILT,
        message: near
          ? 'The session that waits for these results holds another conversation or other settings; a new one was made from the messages.'
          : 'No session waits for these results; a new one was made from the messages.',
      },
    ]
  if (!named || isAddition) return []
  return [
    {
      code: REBUILT,
      message: 'The named session holds another conversation; a new one was made from the messages.',
    },
  ]
}
