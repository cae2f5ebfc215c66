/** Waits for a session or a key that another request uses: clients of some wires repeat a conflict many times. */
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@toolwire/core'

const MAX_MS = 10_000
const PAUSE_MS = 100

/** Starts again while it throws `conflict`, for ten seconds at most; then throws the conflict. */
export async function whenFree<T>(start: () => Promise<T>): Promise<T> {
  const until = performance.now() + MAX_MS
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (!mayPass(error) || performance.now() > until) throw error
      await sleep(PAUSE_MS)
    }
  }
}

const mayPass = (error: unknown): boolean =>
  AppError.is(error) && error.code === 'conflict' && Object(error.details)['is_final'] !== true
