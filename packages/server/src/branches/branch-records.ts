/** The records of one branch, as a separate log. */
import {
  activeBranch,
  advance,
  type BranchPoint,
  branchPath,
  type Facts,
  NO_FACTS,
  type Rec,
  readPages,
  type SessionRow,
} from '@toolwire/core'
import { yieldToLoop } from '@toolwire/session'
import type { ServerContext } from '../context.ts'

/** The record as it is part of the selection; nothing for one that is not. */
export type SelectRecord = (rec: Rec) => readonly Rec[]

/** The records of the active branch; all of them while there is only one. */
export async function selectShownRecords(
  context: Pick<ServerContext, 'sessions'>,
  id: string,
): Promise<SelectRecord> {
  const { branches } = await context.sessions.facts(id)
  if (!branches) return rec => [rec]
  return await selectBranchRecords(context, { id, head: Number.POSITIVE_INFINITY }, branches.active)
}

/** Leaves out the runs of other branches with everything that belongs to them, and what branches were opened. */
export async function selectBranchRecords(
  { sessions }: Pick<ServerContext, 'sessions'>,
  { id, head }: Pick<SessionRow, 'id' | 'head'>,
  branch: string,
): Promise<SelectRecord> {
  const isShown = branchPath((await sessions.facts(id)).branches, branch)
  const hidden = new Set<string>()
  let facts = NO_FACTS
  for await (const records of readPages(sessions.reader, id, { after: 0, head })) {
    for (const rec of records) {
      const other = otherRun(facts, rec, { isShown, hidden })
      if (other !== undefined) hidden.add(other)
      facts = advance(facts, rec)
    }
    await yieldToLoop()
  }
  return rec => {
    const { ev } = rec
    if (ev.type === 'branch.opened' || ev.type === 'branch.selected') return []
    if (ev.run_id !== undefined && hidden.has(ev.run_id)) return []
    if (ev.type !== 'input.message' || !ev.branch) return [rec]
    const { branch: _, ...message } = ev
    return [{ ...rec, ev: message }]
  }
}

interface Selection {
  readonly isShown: (point: BranchPoint) => boolean
  /** Runs and conversations of other branches. */
  readonly hidden: ReadonlySet<string>
}

/** The run that a record shows to be of another branch. */
function otherRun(facts: Facts, { seq, ev }: Rec, { isShown, hidden }: Selection): string | undefined {
  if (ev.type === 'input.message' && ev.notifies !== undefined) {
    const at = facts.unreported[ev.notifies]
    return at && !isShown(at) ? ev.run_id : undefined
  }
  if (ev.type !== 'run.started' || ev.agent_run_id !== undefined) return undefined
  if (ev.resumes_run_id !== undefined) return hidden.has(ev.resumes_run_id) ? ev.run_id : undefined
  return isShown({ branch: activeBranch(facts.branches), seq }) ? undefined : ev.run_id
}
