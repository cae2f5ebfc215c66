/** Metrics of the process, its connections and its requests, and the route that shows all metrics. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Store } from '@toolwire/core'
import type { Sessions } from '@toolwire/session'
import type { ProviderPort, ProviderStatus } from '../ports/provider-port.ts'
import { listPending } from '../sessions/list-pending.ts'
import type { StreamPool } from '../stream/stream-pool.ts'
import type { Instruments, Sample } from './instruments.ts'
import type { RequestObserver } from './request-log.ts'

export interface MeteredServer {
  readonly streams: StreamPool
  /** The whole store, of all owners. */
  readonly store: Store
  readonly sessions: Pick<Sessions, 'facts'>
  readonly ports: { readonly providers?: Pick<ProviderPort, 'list'> | undefined }
}

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 5, 30]
const STATS_MS = 5000
const MOST_PENDING = 1000
const KINDS = ['approval', 'client_tool', 'question']

export interface ServerMetrics {
  readonly observe: RequestObserver
  readonly close: () => void
}

export function createServerMetrics(instruments: Instruments, server: MeteredServer): ServerMetrics {
  const requests = instruments.counter('toolwire_http_requests_total', 'Requests by route and status.')
  const latency = instruments.histogram(
    'toolwire_http_request_seconds',
    'Time until a request was answered; streams are not counted.',
    SECONDS,
  )
  instruments.gauge('toolwire_streams_open', 'Event streams that are open.', () => [
    { value: server.streams.size() },
  ])
  instruments.gauge('toolwire_log_lag_events', 'Events that the slowest open stream has yet to send.', () => [
    { value: server.streams.lag() },
  ])
  instruments.gauge('toolwire_provider_keys', 'Keys of providers that can be used, or cool down.', () =>
    (server.ports.providers?.list() ?? []).flatMap(toKeySamples),
  )
  addSessionGauges(instruments, server)
  const close = addProcessGauges(instruments)
  return {
    close,
    observe(exchange) {
      const { method, status, match } = exchange
      const route = match?.route.path ?? 'none'
      requests.add(1, { method, route, status: String(status) })
      if (exchange.getHeader('content-type')?.startsWith('text/event-stream')) return
      latency.observe((performance.now() - exchange.startedAt) / 1000, { route })
    },
  }
}

/** Providers without a key have no row. */
function toKeySamples({ provider, source, keys }: ProviderStatus): readonly Sample[] {
  const all = keys?.length ?? (source === undefined ? 0 : 1)
  if (all === 0) return []
  const cooling = keys?.filter(({ cooling_ms }) => cooling_ms > 0).length ?? 0
  return [
    { value: all - cooling, labels: { provider, state: 'ready' } },
    { value: cooling, labels: { provider, state: 'cooling' } },
  ]
}

/** Both cost a look into the database, so they are read now and then. */
function addSessionGauges(instruments: Instruments, server: MeteredServer): void {
  instruments.gauge(
    'toolwire_sessions',
    'Sessions by state; paused ones wait for a user or client.',
    seldom(async () => {
      const { byState } = await server.store.stats()
      return ['idle', 'running', 'paused'].map(state => ({ value: byState[state] ?? 0, labels: { state } }))
    }),
  )
  instruments.gauge(
    'toolwire_pending',
    `What waits for an answer, by kind; counted up to ${MOST_PENDING}.`,
    seldom(async () => {
      const items = await listPending(server, MOST_PENDING)
      const count = (kind: string): number => items.filter(item => item.kind === kind).length
      return KINDS.map(kind => ({ value: count(kind), labels: { kind } }))
    }),
  )
}

function seldom(read: () => Promise<readonly Sample[]>): () => Promise<readonly Sample[]> {
  let samples: Promise<readonly Sample[]> | undefined
  let at = Number.NEGATIVE_INFINITY
  return () => {
    if (samples && performance.now() - at < STATS_MS) return samples
    at = performance.now()
    samples = read()
    return samples
  }
}

/** Returns a function that stops measuring. */
function addProcessGauges(instruments: Instruments): () => void {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  instruments.gauge('process_resident_memory_bytes', 'Resident memory.', () => [
    { value: process.memoryUsage.rss() },
  ])
  instruments.gauge('nodejs_heap_used_bytes', 'Heap in use.', () => [
    { value: process.memoryUsage().heapUsed },
  ])
  instruments.total('process_cpu_seconds_total', 'Processor time used since the start.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  instruments.gauge(
    'nodejs_eventloop_lag_p99_seconds',
    'Event loop delay, 99th percentile since the last look.',
    () => {
      const value = delay.percentile(99) / 1e9
      delay.reset()
      return [{ value: Number.isFinite(value) ? value : 0 }]
    },
  )
  return () => void delay.disable()
}
