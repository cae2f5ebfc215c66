/**
 * The branches of a session. All of them share one log; each is the records of its parent up to a seq, and its own after
 * that. Every fold of the log asks this file what belongs to a branch, so that all of them agree. Pure.
 */
import type { EventOf, Seq } from '../event.ts'

/** The branch that every session begins with. */
export const MAIN_BRANCH = 'main'

export interface Branch {
  readonly branch_id: string
  readonly parent_branch_id: string
  /** The latest record of the parent that is part of it. */
  readonly after_seq: Seq
  readonly reason: EventOf<'branch.opened'>['reason']
  /** Id of the user message that it replaces. */
  readonly replaces: string
  /** Seq of the record that opened it. */
  readonly seq: Seq
}

/** Absent in a session that has the main branch alone. */
export interface BranchTree {
  readonly active: string
  /** All but the main branch, in the order in which they were opened. */
  readonly opened: readonly Branch[]
}

/** A position in a session with branches: the branch that was active, and the seq. */
export interface BranchPoint {
  readonly branch: string
  readonly seq: Seq
}

export const activeBranch = (tree: BranchTree | undefined): string => tree?.active ?? MAIN_BRANCH

const NO_BRANCHES: readonly Branch[] = []

export const hasBranch = (tree: BranchTree | undefined, id: string): boolean =>
  id === MAIN_BRANCH || (tree?.opened ?? NO_BRANCHES).some(branch => branch.branch_id === id)

/** The tree with a new branch, which becomes the active one; the same tree if the id is taken. */
export function openBranch(
  tree: BranchTree | undefined,
  { branch_id, parent_branch_id, after_seq, reason, replaces }: EventOf<'branch.opened'>,
  seq: Seq,
): BranchTree | undefined {
  if (hasBranch(tree, branch_id)) return tree
  const parent = hasBranch(tree, parent_branch_id) ? parent_branch_id : activeBranch(tree)
  const branch = { branch_id, parent_branch_id: parent, after_seq, reason, replaces, seq }
  return { active: branch_id, opened: [...(tree?.opened ?? NO_BRANCHES), branch] }
}

/** The tree with another active branch; the same tree if it is active already or unknown. */
export function selectBranch(tree: BranchTree | undefined, id: string): BranchTree | undefined {
  if (!tree || tree.active === id || !hasBranch(tree, id)) return tree
  return { ...tree, active: id }
}

/** Decides what is part of a branch: what happened on it, and on each of its ancestors up to the seq where it left. */
export function branchPath(
  tree: BranchTree | undefined,
  leaf: string = activeBranch(tree),
): (point: BranchPoint) => boolean {
  const byId = new Map((tree?.opened ?? NO_BRANCHES).map(branch => [branch.branch_id, branch]))
  const limits = new Map<string, Seq>()
  let limit = Number.POSITIVE_INFINITY
  // A branch is opened after its parent, so the walk ends at the main branch.
  for (let id = leaf; ; ) {
    limits.set(id, limit)
    const branch = byId.get(id)
    if (!branch) break
    limit = Math.min(limit, branch.after_seq)
    id = branch.parent_branch_id
  }
  return ({ branch, seq }) => seq <= (limits.get(branch) ?? -1)
}
