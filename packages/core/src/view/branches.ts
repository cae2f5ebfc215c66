/** Versions of messages: which branches hold another one in the same place. Pure; computed once per list of exchanges. */
import type { Branch } from '../branches/branch-tree.ts'
import type { MessageView, SessionView, TurnView } from './view.ts'

export interface MessageBranch {
  /** Index of the version that is shown. */
  readonly index: number
  readonly count: number
  /** Branches to select, one per version. */
  readonly ids: readonly string[]
  /** Messages of users that follow the versions that are not shown. */
  readonly later: number
}

const known = new WeakMap<readonly TurnView[], ReadonlyMap<string, MessageBranch>>()

/** The versions of a shown message; undefined for one without others. An edit makes versions of the question, a regenerate of the answer. */
export function branchOf(view: SessionView, message: Pick<MessageView, 'id'>): MessageBranch | undefined {
  if (!view.branches) return undefined
  const before = known.get(view.turns)
  if (before) return before.get(message.id)
  const made = findVersions(view, view.branches.opened)
  known.set(view.turns, made)
  return made.get(message.id)
}

function findVersions(view: SessionView, opened: readonly Branch[]): ReadonlyMap<string, MessageBranch> {
  const turns = [...view.turns, ...(view.hidden ?? [])].toSorted((a, b) => a.seq - b.seq)
  const replacedBy = toReplaced(turns, opened)
  const groups = Map.groupBy(turns, turn => originOf(turn, replacedBy))
  const found = new Map<string, MessageBranch>()
  for (const turn of view.turns) {
    const group = groups.get(originOf(turn, replacedBy)) ?? []
    if (group.length < 2) continue
    const questions = Map.groupBy(group, one => questionOf(one, replacedBy))
    const question = questionOf(turn, replacedBy)
    const answers = questions.get(question) ?? []
    const firsts = [...questions.values()].flatMap(([first]) => first ?? [])
    const role = (id: string): string | undefined => view.messages.get(id)?.role
    const asked = turn.messages.find(id => role(id) === 'user')
    const answered = turn.messages.find(id => role(id) === 'assistant')
    if (asked !== undefined && firsts.length > 1)
      found.set(asked, toVersions(view, firsts, [...questions.keys()].indexOf(question)))
    if (answered !== undefined && answers.length > 1)
      found.set(answered, toVersions(view, answers, answers.indexOf(turn)))
  }
  return found
}

const toVersions = (view: SessionView, turns: readonly TurnView[], index: number): MessageBranch => ({
  index,
  count: turns.length,
  ids: turns.map(turn => turn.branch),
  later: (view.hidden ?? []).filter(hidden => turns.some(turn => follows(hidden, turn))).length,
})

const follows = (later: TurnView, turn: TurnView): boolean =>
  later.branch === turn.branch && later.seq > turn.seq

interface Replacement {
  readonly turn: TurnView
  readonly reason: Branch['reason']
}

/** The exchange that the first one of each branch replaces. */
function toReplaced(
  turns: readonly TurnView[],
  opened: readonly Branch[],
): ReadonlyMap<TurnView, Replacement> {
  const byMessage = new Map(turns.flatMap(turn => turn.messages.map(id => [id, turn] as const)))
  const firsts = new Map(turns.toReversed().map(turn => [turn.branch, turn]))
  return new Map(
    opened.flatMap(({ branch_id, replaces, reason }) => {
      const first = firsts.get(branch_id)
      const turn = byMessage.get(replaces)
      return first && turn && turn.seq < first.seq ? [[first, { turn, reason }] as const] : []
    }),
  )
}

/** The exchange that a chain of replacements began with. Each replaces an earlier one, so it ends. */
function originOf(turn: TurnView, replaced: ReadonlyMap<TurnView, Replacement>): TurnView {
  let origin = turn
  for (let next = replaced.get(origin); next; next = replaced.get(origin)) origin = next.turn
  return origin
}

/** The exchange that first asked the question of this one. */
function questionOf(turn: TurnView, replaced: ReadonlyMap<TurnView, Replacement>): TurnView {
  let asked = turn
  for (let next = replaced.get(asked); next?.reason === 'regenerate'; next = replaced.get(asked))
    asked = next.turn
  return asked
}
