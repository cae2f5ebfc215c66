/** The message of a thrown value; never throws, whatever was thrown. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name
  return typeof error === 'object' || typeof error === 'symbol' ? 'no reason was given' : String(error)
}
