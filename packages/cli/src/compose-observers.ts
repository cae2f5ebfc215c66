/** The store with all observers of its commits: spending, metrics, spans, log lines. */
import type { Store } from '@toolwire/core'
import {
  createInstruments,
  createSpendMeter,
  observeLog,
  observeSpans,
  observeStore,
  observeToLogger,
  type ServerOptions,
  type SpendMeter,
} from '@toolwire/server'
import type { Blueprint, Data } from './blueprint.ts'

export interface Observers {
  readonly store: Store
  readonly instruments: NonNullable<ServerOptions['instruments']>
  /** Resolves when everything that was seen is written down. */
  readonly settled: () => Promise<void>
  /** By budgets of keys. */
  readonly refuse: SpendMeter['refuse']
}

export function composeObservers(
  { store, records, logger, env }: Blueprint & Data,
  onError: (error: unknown, session: string) => void,
): Observers {
  const instruments = createInstruments()
  const spending = createSpendMeter(store, records, onError)
  // The name that the GenAI conventions give it.
  const hasContent = env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT === 'true'
  const spans = observeSpans({ hasContent, log: store })
  const observers = [spending.observe, observeLog(instruments, store), spans, observeToLogger(logger)]
  return {
    store: observeStore(store, observers),
    instruments,
    settled: spending.settled,
    refuse: spending.refuse,
  }
}
