/** Charges every turn of a model to the key that made the session. */
import type { Records, SessionEvent, Store } from '@toolwire/core'
import type { StoreObserver } from '../observe/observe-store.ts'
import { KEY_LABEL } from './owned-store.ts'
import { addSpending, type Turn } from './spending.ts'

export interface SpendMeter {
  readonly observe: StoreObserver
  /** Resolves when everything seen so far is charged. */
  readonly settled: () => Promise<void>
}

const KEEP = 20_000

/** `onError` hears of a charge that could not be stored; the run is not disturbed by it. */
export function createSpendMeter(
  store: Pick<Store, 'list'>,
  records: Records,
  onError: (error: unknown, session: string) => void,
): SpendMeter {
  const keys = new Map<string, string | null>()
  const charging = new Set<Promise<void>>()

  async function keyOf(session: string): Promise<string | null> {
    const known = keys.get(session)
    if (known !== undefined) return known
    const [row] = (await store.list({ ids: [session], limit: 1 })).items
    return remember(session, row?.labels[KEY_LABEL] ?? null)
  }
  function remember(session: string, key: string | null): string | null {
    if (keys.size >= KEEP) keys.clear()
    keys.set(session, key)
    return key
  }
  async function charge(session: string, turn: Turn): Promise<void> {
    try {
      const key = await keyOf(session)
      if (key !== null) await addSpending(records, key, turn)
    } catch (error) {
      onError(error, session)
    }
  }
  return {
    observe(write, answer) {
      if (!('head' in answer)) return
      if (write.create === true) remember(write.session, write.index?.labels?.[KEY_LABEL] ?? null)
      for (const event of write.events) {
        const turn = toTurn(event)
        if (!turn) continue
        const done = charge(write.session, turn).finally(() => charging.delete(done))
        charging.add(done)
      }
    },
    settled: async () => void (await Promise.all(charging)),
  }
}

/** What the model took for one answer; a half answer counts too, as far as its price is known. */
function toTurn(event: SessionEvent): Turn | undefined {
  if (event.type !== 'turn.completed' && event.type !== 'message.aborted') return undefined
  if (!event.usage) return undefined
  const { input, cache_read, cache_write, output } = event.usage
  return {
    usd: event.cost_usd ?? null,
    input_tokens: input + cache_read + cache_write,
    output_tokens: output,
  }
}
