/**
 * Listens for notifications, for as long as it lives: a lost connection is made again, and one that
 * has fallen silent (a dead peer, a pooler that keeps notifications to itself) is found out by
 * notifications to itself that do not come back.
 */
import type pg from 'pg'

export interface Listener {
  /** Resolves once listening has begun, or has failed for the first time. */
  readonly ready: Promise<void>
  /** True if notifications are known to arrive. */
  readonly isListening: () => boolean
  /** To be called when a notification of our own came back. */
  readonly proved: () => void
  readonly close: () => Promise<void>
}

export interface ListenerParts {
  readonly channel: string
  /** Not connected yet. */
  readonly newClient: () => pg.Client
  readonly receive: (payload: string) => void
  /** Sends a notification that `receive` knows as our own. */
  readonly probe: () => Promise<void>
  /** Called when listening begins, also after a break: whatever came before was not heard. */
  readonly onBegin: () => void
}

const RETRY_MS = 200
/** A notification to ourselves takes longer than this only when it never comes. */
const PROBE_MS = 2000

export function startListener(parts: ListenerParts): Listener {
  let listening = false
  let hang: (() => void) | undefined
  const stopping = new AbortController()
  const tried = Promise.withResolvers<void>()

  async function listenOnce(client: pg.Client): Promise<void> {
    const lost = new Promise<void>(resolve => {
      hang = resolve
      client.on('error', () => resolve())
      client.on('end', () => resolve())
    })
    await client.connect()
    if (stopping.signal.aborted) return
    client.on('notification', message => parts.receive(message.payload ?? ''))
    await client.query(`listen ${parts.channel}`)
    const prove = (): void => {
      listening = false
      void client.query('select 1').catch(() => hang?.())
      void parts.probe().catch(() => {})
    }
    const timer = setInterval(prove, PROBE_MS)
    prove()
    parts.onBegin()
    tried.resolve()
    await lost.finally(() => clearInterval(timer))
  }
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const client = parts.newClient()
      client.on('error', () => {})
      await listenOnce(client).catch(() => {})
      tried.resolve()
      listening = false
      void client.end().catch(() => {})
      if (!stopping.signal.aborted) await pause(RETRY_MS, stopping.signal)
    }
  }
  const running = run()
  return {
    ready: tried.promise,
    isListening: () => listening,
    proved: () => {
      listening = true
    },
    async close() {
      stopping.abort()
      hang?.()
      await running
    },
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
