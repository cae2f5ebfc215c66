/** Looks for damaged pages of a database that may be in use, in a thread that is started for it alone. */
import { createStatementClient } from './statement-client.ts'

export interface IntegrityCheck {
  /** The first damage that was found; undefined for a sound database, and for a check that was stopped. */
  readonly result: Promise<string | undefined>
  readonly stop: () => Promise<void>
}

/** Reads every page, so it takes as long as reading the file. */
export function checkIntegrity(file: string): IntegrityCheck {
  const thread = createStatementClient(file)
  let isStopped = false
  const result = thread
    .all('pragma quick_check(1)')
    .then(([row]) => String(row?.['quick_check']))
    // A header that cannot be read is damage as well.
    .catch((error: unknown) => causeOf(error))
    .then(found => (found === 'ok' || isStopped ? undefined : found))
    .finally(() => thread.close())
  return {
    result,
    async stop() {
      isStopped = true
      await thread.close()
      await result
    },
  }
}

const causeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'details' in error
    ? JSON.stringify(error.details)
    : String(error)
