/** The notes that models keep, as the server's routes need them. */

/** The owner of notes: the server, a workspace or a session. */
export interface MemoryOwner {
  readonly workspace: string
  readonly session_id: string
}

/** Port of the memory for the routes. */
export interface MemoryPort {
  /** Paths begin with user/, project/ or session/. */
  readonly list: (owner: MemoryOwner) => Promise<readonly MemoryEntry[]>
  /** Undefined if there is no such file or the path is invalid. */
  readonly read: (path: string, owner: MemoryOwner) => Promise<string | undefined>
  /** False if there was no such file or the path is invalid. */
  readonly remove: (path: string, owner: MemoryOwner) => Promise<boolean>
}

interface MemoryEntry {
  readonly path: string
  readonly bytes: number
  readonly updated_at: string
}
