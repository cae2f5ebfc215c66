/** The file, or the way to it, is not what it was when the work with it was decided. The message completes "… was not used:". */
export class ChangedError extends Error {
  override readonly name = 'ChangedError'
}
