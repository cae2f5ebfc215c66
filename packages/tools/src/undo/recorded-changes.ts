/** File changes of a session's tools, read from its log: every change with its call, run and agents above it. */
import type { Rec, SessionEvent } from '@toolwire/core'
import { CHANGE_NOTE, type ChangeNote } from '../files/change-file.ts'

export interface RecordedChange extends ChangeNote {
  readonly seq: number
  readonly call_id: string
  /** The calls that started the subagents it happened in, innermost first. */
  readonly within: readonly string[]
  readonly run_id: string | undefined
  readonly conversation_id: string | undefined
  /** The call ended well; otherwise only the content shows if it took place. */
  readonly succeeded: boolean
}

/** Changes that an earlier undo reverted. */
export interface UndoNote {
  readonly undone: readonly { readonly seq: number; readonly path: string }[]
}

export const UNDO_NOTE = 'undo:'

interface Parent {
  readonly call: string
  readonly agent: string | undefined
}

/** Changes that count now, in the order in which they were made: what was undone is left out. */
export function recordedChanges(records: readonly Rec[]): readonly RecordedChange[] {
  const conversations = new Map<string | undefined, string>()
  const parents = new Map<string, Parent>()
  const succeeded = new Set<string>()
  const undone = new Set<string>()
  for (const { ev } of records) {
    if (ev.type === 'run.started' && ev.agent_run_id === undefined)
      conversations.set(ev.run_id, ev.conversation_id)
    if (ev.type === 'agent.started')
      parents.set(ev.agent_run_id, { call: ev.parent_call_id, agent: ev.parent_agent_run_id })
    if (ev.type === 'tool.completed' && !ev.is_error) succeeded.add(keyOf(ev, ev.call_id))
    if (ev.type === 'note') for (const key of undoneBy(ev.name, ev.value)) undone.add(key)
  }
  return records.flatMap(({ seq, ev }) =>
    toChanges(ev)
      .filter(change => !undone.has(keyOfChange(seq, change.path)))
      .map(change => ({
        ...change,
        seq,
        within: callsAbove(ev.agent_run_id, parents),
        run_id: ev.run_id,
        conversation_id: conversations.get(ev.run_id),
        // A command's changes are known from the files themselves, however it ended.
        succeeded: change.observed || succeeded.has(keyOf(ev, change.call_id)),
      })),
  )
}

const keyOf = ({ agent_run_id = '' }: Pick<SessionEvent, 'agent_run_id'>, call_id: string): string =>
  `${agent_run_id}/${call_id}`

/** One note covers several files if a command changed them. */
const keyOfChange = (seq: number, path: string): string => `${seq} ${path}`

type NotedChange = ChangeNote & { readonly call_id: string; readonly observed: boolean }

function toChanges(ev: SessionEvent): readonly NotedChange[] {
  if (ev.type !== 'note' || !ev.name.startsWith(CHANGE_NOTE)) return []
  const call_id = ev.name.slice(CHANGE_NOTE.length)
  const observed = Array.isArray(ev.value)
  const values: readonly unknown[] = Array.isArray(ev.value) ? ev.value : [ev.value]
  return values.flatMap(value => {
    if (typeof value !== 'object' || value === null) return []
    const { path, before, after } = value as Partial<ChangeNote>
    if (typeof path !== 'string') return []
    return [{ path, before: before ?? null, after: after ?? null, call_id, observed }]
  })
}

function undoneBy(name: string, value: unknown): readonly string[] {
  if (!name.startsWith(UNDO_NOTE)) return []
  return ((value as Partial<UndoNote> | null)?.undone ?? []).map(({ seq, path }) => keyOfChange(seq, path))
}

function callsAbove(agent: string | undefined, parents: ReadonlyMap<string, Parent>): readonly string[] {
  const calls: string[] = []
  for (let at = agent; at !== undefined; ) {
    const parent = parents.get(at)
    if (!parent) break
    calls.push(parent.call)
    at = parent.agent
  }
  return calls
}
