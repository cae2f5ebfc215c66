/** The logger of a program may fail: what it should have logged is lost, and nothing else. */
import type { Logger } from '@toolwire/server'

export function guardLogger(latest: () => Logger | undefined): Logger {
  const write =
    (level: 'info' | 'error'): Logger['info'] =>
    (fields, message) => {
      try {
        latest()?.[level](fields, message)
      } catch {
        // There is no other place where it could be reported.
      }
    }
  return { info: write('info'), error: write('error') }
}
