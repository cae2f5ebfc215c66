/** The tools that a search has found in a session: told to the model from then on, though they are deferred. */

export const LOADED_NOTE = 'tools_loaded'

/** The names in the note; whatever else it holds is none. Pure. */
export function loadedTools(note: unknown): readonly string[] {
  return Array.isArray(note) ? note.filter(name => typeof name === 'string') : []
}
