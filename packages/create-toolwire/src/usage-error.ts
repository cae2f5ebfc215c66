/** An argument that cannot be used. Its message is one sentence for the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
