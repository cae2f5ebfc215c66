/**
 * Classifies a failed statement. A lost connection does not say if the statement was executed, so only idempotent
 * work goes through here.
 */
import { AppError } from '@toolwire/core'

/** Maximum wait for an unreachable database before the caller gets an error. */
const PATIENCE_MS = 10_000
const LONGEST_PAUSE_MS = 250

const FULL: ReadonlySet<string> = new Set(['53100'])
/** Lost a race against another statement: the next attempt sees the other's outcome. */
const RACES: ReadonlySet<string> = new Set(['23505', '40001', '40P01', '55P03'])
/** The server says that it goes, is not there yet, is full of connections, or has become a standby. */
const AWAY: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '57014', '53300', '25006'])
/** A pooler between us and the server mixed up prepared statements. */
const UNPREPARED: ReadonlySet<string> = new Set(['26000', '42P05'])

type ErrorKind = 'race' | 'away' | 'unprepared' | 'full' | 'broken'

function troubleOf(error: unknown): ErrorKind {
  // A bug in our code or the driver: a retry does not help.
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError)
    return 'broken'
  const code = codeOf(error)
  // Errors of the socket and time-outs of the driver have no SQLSTATE.
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code) || code.startsWith('08')) return 'away'
  if (RACES.has(code)) return 'race'
  if (AWAY.has(code)) return 'away'
  if (UNPREPARED.has(code)) return 'unprepared'
  return FULL.has(code) ? 'full' : 'broken'
}

function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}

/**
 * True if named statements do not work here. The statement was not executed and may be sent again without a name.
 */
export const isUnprepared = (error: unknown): boolean => troubleOf(error) === 'unprepared'

export interface PatienceOptions {
  /** True once the store is closing: then nothing is waited for. */
  readonly isClosing: () => boolean
  /** Called when named statements do not work here. */
  readonly onUnprepared: () => void
}

export type RetryFunction = <T>(work: () => Promise<T>) => Promise<T>

/** Repeats `work` while the database is away, with a limit. Rejects with AppError `storage_error` or `storage_full`. */
export function createRetry(options: PatienceOptions): RetryFunction {
  /** Throws when nothing is to be gained by another attempt. */
  function judge(error: unknown, giveUpAt: number): ErrorKind {
    const trouble = troubleOf(error)
    if (trouble === 'unprepared') options.onUnprepared()
    const isHopeless = AppError.is(error) || trouble === 'full' || trouble === 'broken'
    if (isHopeless || options.isClosing() || performance.now() > giveUpAt) throw toAppError(error)
    return trouble
  }
  return async work => {
    const giveUpAt = performance.now() + PATIENCE_MS
    for (let delay = 10; ; delay = Math.min(delay * 2, LONGEST_PAUSE_MS)) {
      try {
        return await work()
      } catch (error) {
        if (judge(error, giveUpAt) !== 'race') await new Promise(resolve => setTimeout(resolve, delay))
      }
    }
  }
}

/** The refusal that callers of the store see. */
export function toAppError(error: unknown): AppError {
  if (AppError.is(error)) return error
  const code = troubleOf(error) === 'full' ? 'storage_full' : 'storage_error'
  return new AppError(code, undefined, {
    cause: error instanceof Error ? error.message : String(error),
    sqlstate: codeOf(error),
  })
}
