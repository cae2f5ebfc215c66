/**
 * Requests that carry an Idempotency-Key, and which answer each of them got. The same request
 * again gets the same answer; the same key with another request is refused. One key starts at
 * most one answer at a time, on any node that shares the records.
 */
import { AppError, type Records } from '@toolwire/core'
import { z } from 'zod'

const KIND = 'gateway_receipt'
/** Retries come soon; after this long a key may be used again. */
const KEEP_MS = 24 * 3600 * 1000
/** A claim that nobody has filled for so long was left by a process that died. */
const STALE_MS = 60_000
const SWEEP_EVERY = 1000

const Receipt = z.object({
  /** Fingerprint of the request. */
  request: z.string(),
  at: z.number(),
  claim: z.string(),
  answer: z.unknown().optional(),
})
type Receipt = z.output<typeof Receipt>

/** Answers are kept as JSON; they come back as they were put in. */
export interface Receipts<Answer> {
  /**
   * The answer of this key, started by `start` unless there is one that `isGood`. Throws `conflict`
   * when the key belongs to another request, or is being used by another process right now.
   */
  readonly once: (key: KeyedRequest, how: StartOnce<Answer>) => Promise<Answer>
}

interface KeyedRequest {
  /** Unique per caller, wire and key. */
  readonly id: string
  readonly request: string
}

interface StartOnce<Answer> {
  readonly start: () => Promise<Answer>
  readonly isGood: (answer: Answer) => Promise<boolean>
}

/** They last as long as the records do. */
export function createReceipts<Answer>(
  records: Omit<Records, 'close'>,
  now: () => number,
  newId: () => string,
): Receipts<Answer> {
  const starting = new Map<string, { readonly request: string; readonly answer: Promise<Answer> }>()
  let claims = 0

  async function once(key: KeyedRequest, how: StartOnce<Answer>): Promise<Answer> {
    const under = starting.get(key.id)
    if (under) {
      mustBeSame(key, under.request)
      return await under.answer
    }
    const answer = startOrRecall(key, how)
    starting.set(key.id, { request: key.request, answer })
    try {
      return await answer
    } finally {
      starting.delete(key.id)
    }
  }

  async function startOrRecall(key: KeyedRequest, how: StartOnce<Answer>): Promise<Answer> {
    if (++claims % SWEEP_EVERY === 0) await sweep()
    const known = await read(key.id)
    if (known) mustBeSame(key, known.request)
    const before = known?.answer as Answer | undefined
    if (before !== undefined && (await how.isGood(before))) return before
    const claim = newId()
    const receipt = await records.update(KIND, key.id, value => claimed(value, key, known, claim))
    if (Receipt.parse(receipt).claim !== claim)
      throw new AppError('conflict', 'A request with this Idempotency-Key is being answered; ask again.')
    try {
      const answer = await how.start()
      await records.put(KIND, key.id, { request: key.request, at: now(), claim, answer })
      return answer
    } catch (error) {
      await records.remove(KIND, key.id)
      throw error
    }
  }

  /** Pure: whoever finds the receipt as it was read takes it. */
  function claimed(value: unknown, key: KeyedRequest, known: Receipt | undefined, claim: string): Receipt {
    const found = Receipt.safeParse(value)
    const mine: Receipt = { request: key.request, at: now(), claim }
    if (!found.success) return mine
    const isFree = found.data.answer ? found.data.claim === known?.claim : isOlder(found.data, STALE_MS)
    return isFree ? mine : found.data
  }

  async function read(id: string): Promise<Receipt | undefined> {
    const found = Receipt.safeParse(await records.get(KIND, id))
    return found.success && !isOlder(found.data, KEEP_MS) ? found.data : undefined
  }

  async function sweep(): Promise<void> {
    for (const { id, value } of await records.list(KIND)) {
      const found = Receipt.safeParse(value)
      if (!found.success || isOlder(found.data, KEEP_MS)) await records.remove(KIND, id)
    }
  }

  const isOlder = (receipt: Receipt, ms: number): boolean => now() - receipt.at > ms
  return { once }
}

function mustBeSame(key: KeyedRequest, request: string): void {
  if (key.request !== request)
    throw new AppError('conflict', 'This Idempotency-Key was used for another request.')
}
