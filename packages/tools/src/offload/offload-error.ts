/** The reason that a job in a thread has no result. Callers report it as the problem of their call. */

export type OffloadCode =
  /** It took longer than it may, and its thread was ended. */
  | 'timeout'
  /** It needed more memory than it may, and its thread was ended. */
  | 'out_of_memory'
  /** Too much waits for a thread already. */
  | 'busy'
  | 'aborted'

export class OffloadError extends Error {
  readonly code: OffloadCode

  constructor(code: OffloadCode, message: string) {
    super(message)
    this.name = 'OffloadError'
    this.code = code
  }
}
