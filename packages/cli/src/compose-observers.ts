/** The store with all observers of its commits: spending, metrics, spans, log lines. */
import type { Records, Store } from '@toolwire/core'
import {
  createInstruments,
  createSpendMeter,
  type Logger,
  observeLog,
  observeSpans,
  observeStore,
  observeToLogger,
  type ServerOptions,
} from '@toolwire/server'
import { createLogger } from './logger.ts'

export interface Observers {
  readonly store: Store
  readonly instruments: NonNullable<ServerOptions['instruments']>
  readonly logger: Logger
  /** Resolves when everything that was seen is written down. */
  readonly settled: () => Promise<void>
}

export function composeObservers(
  store: Store,
  records: Records,
  level: string | undefined,
  onError: (error: unknown, session: string) => void,
): Observers {
  const instruments = createInstruments()
  const logger = createLogger(level)
  const spending = createSpendMeter(store, records, onError)
  // The name that the GenAI conventions give it.
  const hasContent = process.env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'] === 'true'
  const spans = observeSpans({ hasContent, log: store })
  const observers = [spending.observe, observeLog(instruments, store), spans, observeToLogger(logger)]
  return { store: observeStore(store, observers), instruments, logger, settled: spending.settled }
}
