/**
 * The port for small facts that are no session's: API keys, what they spent, the audit trail.
 * Values are JSON; `kind` names what they are, `id` is unique within a kind.
 */
export interface StoredRecord {
  readonly id: string
  readonly value: unknown
}

/** Reading rejects with AppError('storage_error') for a value that cannot be read any more. */
export interface Records {
  /** Undefined if it does not exist. */
  get(kind: string, id: string): Promise<unknown>
  /** Those of the ids that exist, in any order, without values that cannot be read; one read for all of them. */
  getMany(kind: string, ids: readonly string[]): Promise<readonly StoredRecord[]>
  /** Makes or replaces. Resolves when it is stored. */
  put(kind: string, id: string, value: unknown): Promise<void>
  /**
   * Reads, changes and writes atomically. `change` gets undefined if the record does not exist and may be called
   * again after a collision, so it must be pure. Resolves to the new value.
   */
  update(kind: string, id: string, change: (value: unknown) => unknown): Promise<unknown>
  /** False if it did not exist. */
  remove(kind: string, id: string): Promise<boolean>
  /** All of a kind by id, or the last `limit` of them, in the order of their ids. */
  list(kind: string, limit?: number): Promise<readonly StoredRecord[]>
  /** Idempotent. */
  close(): Promise<void>
}
