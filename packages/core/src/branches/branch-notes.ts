/** Notes of tools that belong to a branch; all others, such as rules and undo records, belong to the session. Pure. */

/** Come back with their branch: the working directory, todos, tools found by search, commands, loaded skills. */
const RESTORED: ReadonlySet<string> = new Set(['cwd', 'todos', 'tools_loaded'])
const RESTORED_PREFIXES = ['task:', 'skill:']
/** Dropped with every change of the branch: what the model has read. It reads again before it edits. */
const DROPPED = ['file:', 'instructions:', 'page:', 'memory:']

export const isRestoredNote = (name: string): boolean =>
  RESTORED.has(name) || RESTORED_PREFIXES.some(prefix => name.startsWith(prefix))

/** The notes of the session, without those of the branch that is left. */
export function sessionNotes(
  notes: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> {
  const isShared = (name: string): boolean =>
    !isRestoredNote(name) && !DROPPED.some(prefix => name.startsWith(prefix))
  return Object.fromEntries(Object.entries(notes ?? {}).filter(([name]) => isShared(name)))
}
