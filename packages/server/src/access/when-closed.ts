/** The end of a response, also when it came before anyone listened. */
import type { ServerResponse } from 'node:http'

/** Calls `work` once: when the response is finished or its connection is lost, or now if that has happened. */
export function whenClosed(response: ServerResponse, work: () => void): void {
  if (response.destroyed) work()
  else response.once('close', work)
}
