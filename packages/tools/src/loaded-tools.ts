/** Tools found by a search in a session: sent to the model from then on, though they are deferred. */

export const LOADED_NOTE = 'tools_loaded'

/** The names in the note; anything else is ignored. Pure. */
export function loadedTools(note: unknown): readonly string[] {
  return Array.isArray(note) ? note.filter(name => typeof name === 'string') : []
}
