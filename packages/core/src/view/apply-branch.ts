/** Branches in the view: `turns` is the path to the active one; the exchanges of others are kept aside. */
import { isRestoredNote, sessionNotes } from '../branches/branch-notes.ts'
import { branchPath, openBranch, selectBranch } from '../branches/branch-tree.ts'
import type { EventOf } from '../event.ts'
import type { EventReaders } from './event-shapes.ts'
import { NUMBER, TEXT } from './shape.ts'
import { sumStats } from './stats.ts'
import type { MessageView, SessionView, TurnView } from './view.ts'

/** The view of another branch of the same session; the same view if it is shown already or unknown. */
export const showBranch = (view: SessionView, id: string): SessionView =>
  show(view, selectBranch(view.branches, id))

function show(view: SessionView, tree: SessionView['branches']): SessionView {
  if (!tree || tree === view.branches) return view
  const isShown = branchPath(tree)
  const all = [...view.turns, ...(view.hidden ?? [])].toSorted((a, b) => a.seq - b.seq)
  const turns = all.filter(isShown)
  const { context: _, ...rest } = view
  return {
    ...rest,
    branches: tree,
    turns,
    hidden: all.filter(turn => !isShown(turn)),
    notes: Object.assign({}, sessionNotes(view.notes), ...turns.map(turn => turn.notes)),
    earlier_stats: sumStats(all.filter(turn => turn !== turns.at(-1)).map(turn => turn.stats)),
  }
}

export const isReportOfOther = (view: SessionView, { notifies = '' }: EventOf<'input.message'>): boolean => {
  const at = view.agents.get(notifies)?.at
  return view.branches !== undefined && at !== undefined && !branchPath(view.branches)(at)
}

/** The report belongs to the latest exchange of the branch that started the agent. */
export function fileReport(view: SessionView, agent: string | undefined, message: MessageView): SessionView {
  const branch = view.agents.get(agent ?? '')?.at?.branch
  const at = (view.hidden ?? []).findLastIndex(turn => turn.branch === branch)
  const turn = view.hidden?.[at]
  if (!turn || !view.hidden) return view
  return {
    ...view,
    messages: view.messages.set(message.id, { ...message, state: 'complete' }),
    hidden: view.hidden.with(at, { ...turn, messages: [...turn.messages, message.id] }),
  }
}

/** A note, also kept with its exchange if it belongs to a branch. */
export function takeNote(view: SessionView, { name, value, agent_run_id }: EventOf<'note'>): SessionView {
  const next = { ...view, notes: { ...view.notes, [name]: value } }
  const turn = view.turns.at(-1)
  if (agent_run_id !== undefined || !turn || !isRestoredNote(name)) return next
  const noted: TurnView = { ...turn, notes: { ...turn.notes, [name]: value } }
  return { ...next, turns: view.turns.with(-1, noted) }
}

/** A branch changes while nothing runs, or not at all. */
export const BRANCH_READERS: EventReaders<'branch.opened' | 'branch.selected'> = {
  'branch.opened': [
    { branch_id: TEXT, parent_branch_id: TEXT, after_seq: NUMBER, reason: TEXT, replaces: TEXT },
    (view, ev) => (view.phase === 'idle' ? show(view, openBranch(view.branches, ev, view.head)) : view),
  ],
  'branch.selected': [
    { branch_id: TEXT },
    (view, ev) => (view.phase === 'idle' ? showBranch(view, ev.branch_id) : view),
  ],
}
