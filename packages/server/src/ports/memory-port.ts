/** The notes that models keep, as the server's routes need them. */

/** Whose notes are meant: those of everybody, of a workspace, of a session. */
export interface MemoryOwner {
  readonly workspace: string
  readonly session_id: string
}

/** What the routes need of the memory. */
export interface MemoryPort {
  /** Paths begin with user/, project/ or session/. */
  readonly list: (owner: MemoryOwner) => Promise<readonly MemoryEntry[]>
  /** Undefined when there is no such file, or its path is none. */
  readonly read: (path: string, owner: MemoryOwner) => Promise<string | undefined>
  /** False when there was no such file, or its path is none. */
  readonly remove: (path: string, owner: MemoryOwner) => Promise<boolean>
}

interface MemoryEntry {
  readonly path: string
  readonly bytes: number
  readonly updated_at: string
}
