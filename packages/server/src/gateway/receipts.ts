/**
 * Requests that carry an Idempotency-Key, and which answer each of them got. The same request
 * again gets the same answer; the same key with another request is refused. One key starts at
 * most one answer at a time, on any node that shares the records.
 */
import { AppError, RecentMap, type Records } from '@toolwire/core'
import { z } from 'zod'
import type { LeasePort } from '../ports.ts'

const KIND = 'gateway_receipt'
/** Retries come soon; after this long a key may be used again. */
const KEEP_MS = 24 * 3600 * 1000
/** A claim unfilled for so long was left by a dead process, whatever its lease says. */
const STALE_MS = 60_000
const SWEEP_EVERY = 1000

const Receipt = z.object({
  /** Fingerprint of the request. */
  request: z.string(),
  at: z.number(),
  claim: z.string(),
  /** No repetition uses it after this long; a day when absent. */
  keep_ms: z.number().optional(),
  /** Whose claim it is; unknown where processes have no leases. */
  node: z.string().optional(),
  /** The plan of the response, stored before it starts. */
  planned: z.unknown().optional(),
  answer: z.unknown().optional(),
})
type Receipt = z.output<typeof Receipt>

/** Answers are kept as JSON; they come back as they were put in. */
export interface Receipts<Answer, Planned> {
  /**
   * The answer of this key, started by `start` unless there is one that `isGood`. Throws `conflict`
   * when the key belongs to another request, is being used by another process right now, or was taken over by
   * one while this one had lost its lease.
   */
  readonly once: (key: KeyedRequest, how: StartOnce<Answer, Planned>) => Promise<Answer>
}

export interface KeyedRequest {
  /** Unique per caller, wire and key. */
  readonly id: string
  readonly request: string
  /** Older receipts do not count. */
  readonly maxAgeMs?: number
  /** A new request: it gets a new answer, which its repetitions get too. */
  readonly isNew?: boolean
}

interface StartOnce<Answer, Planned> {
  /** Calls `keep` before the answer begins, so that it is found whatever happens then. */
  readonly start: (keep: (planned: Planned) => Promise<void>) => Promise<Answer>
  /** The answer of a plan; undefined when it was never begun. */
  readonly find: (planned: Planned) => Promise<Answer | undefined>
  /** True if a plan may be repeated although another process may be executing it. */
  readonly mayRepeat: (planned: Planned) => boolean
  readonly isGood: (answer: Answer) => Promise<boolean>
}

interface ReceiptParts {
  readonly now: () => number
  readonly newId: () => string
  /** True if other processes use these records; otherwise an unknown claim was left by a dead process. */
  readonly isShared: boolean
  /** With it, what a process had claimed is free as soon as its lease is over. */
  readonly leases: LeasePort | undefined
}

/** They last as long as the records do. */
export function createReceipts<Answer, Planned>(
  records: LocalRecords,
  { now, newId, isShared, leases }: ReceiptParts,
): Receipts<Answer, Planned> {
  const starting = new Map<string, { readonly request: string; readonly answer: Promise<Answer> }>()
  let claims = 0

  async function once(key: KeyedRequest, how: StartOnce<Answer, Planned>): Promise<Answer> {
    const under = starting.get(key.id)
    if (under && !key.isNew) {
      mustBeSame(key, under.request)
      return await under.answer
    }
    const answer = startOrReuse(key, how)
    starting.set(key.id, { request: key.request, answer })
    try {
      return await answer
    } finally {
      if (starting.get(key.id)?.answer === answer) starting.delete(key.id)
    }
  }

  async function startOrReuse(key: KeyedRequest, how: StartOnce<Answer, Planned>): Promise<Answer> {
    if (++claims % SWEEP_EVERY === 0) await sweep()
    if (key.isNew) return await start(key, how, undefined)
    const known = await read(key.id, key.maxAgeMs)
    if (known) mustBeSame(key, known.request)
    const before = known && (await answerOf(known, how))
    if (before !== undefined && (await how.isGood(before))) return before
    const isFree = before !== undefined || isRepeatable(known, how) || (await isLeft(known))
    return await start(key, how, isFree ? known?.claim : undefined)
  }

  async function start(
    key: KeyedRequest,
    how: StartOnce<Answer, Planned>,
    over: string | undefined,
  ): Promise<Answer> {
    const claim = newId()
    const { request, maxAgeMs: keep_ms } = key
    const mine = (): Receipt => ({ request, at: now(), claim, node: leases?.self(), keep_ms })
    const take = (value: unknown): unknown => (key.isNew ? mine() : claimed(value, mine(), over))
    mustBeMine(await records.update(KIND, key.id, take), claim)
    const keep = async (more: Partial<Receipt>): Promise<void> => {
      const fill = (value: unknown): unknown => (isClaim(value, claim) ? { ...mine(), ...more } : value)
      const stored = await records.update(KIND, key.id, fill)
      // A later new request may have taken the receipt over.
      if (!key.isNew) mustBeMine(stored, claim)
    }
    try {
      const answer = await how.start(planned => keep({ planned }))
      await keep({ answer })
      return answer
    } catch (error) {
      if (isClaim(await records.get(KIND, key.id), claim)) await records.remove(KIND, key.id)
      throw error
    }
  }

  /** True if the claiming process is gone and left no response. */
  const isLeft = async (receipt: Receipt | undefined): Promise<boolean> =>
    receipt?.node !== undefined && !receipt.answer && (await leases?.isLeaseExpired(receipt.node)) === true

  const isRepeatable = (receipt: Receipt | undefined, { mayRepeat }: StartOnce<Answer, Planned>): boolean =>
    receipt?.planned !== undefined && mayRepeat(receipt.planned as Planned)

  async function answerOf(
    receipt: Receipt,
    { find }: StartOnce<Answer, Planned>,
  ): Promise<Answer | undefined> {
    if (receipt.answer) return receipt.answer as Answer
    return receipt.planned ? await find(receipt.planned as Planned) : undefined
  }

  /** Pure: takes the receipt if it is unchanged; `over` is the claim whose response failed. */
  function claimed(value: unknown, mine: Receipt, over: string | undefined): Receipt {
    const found = Receipt.safeParse(value)
    if (!found.success) return mine
    const isStale = !found.data.answer && (!isShared || isOlder(found.data, STALE_MS))
    return found.data.claim === over || isStale ? mine : found.data
  }

  async function read(id: string, maxAgeMs = KEEP_MS): Promise<Receipt | undefined> {
    const found = Receipt.safeParse(await records.get(KIND, id))
    return found.success && !isOlder(found.data, maxAgeMs) ? found.data : undefined
  }

  async function sweep(): Promise<void> {
    for (const { id, value } of await records.list(KIND)) {
      const found = Receipt.safeParse(value)
      if (!found.success || isOlder(found.data, found.data.keep_ms ?? KEEP_MS)) await records.remove(KIND, id)
    }
  }

  const isOlder = (receipt: Receipt, ms: number): boolean => now() - receipt.at > ms
  return { once }
}

function isClaim(value: unknown, claim: string): boolean {
  const found = Receipt.safeParse(value)
  return found.success && found.data.claim === claim
}

/** Waiting changes nothing. */
const FINAL = { is_final: true }

function mustBeMine(receipt: unknown, claim: string): void {
  if (!isClaim(receipt, claim))
    throw new AppError('conflict', 'A request with this Idempotency-Key is being answered; ask again.')
}

function mustBeSame(key: KeyedRequest, request: string): void {
  if (key.request !== request)
    throw new AppError('conflict', 'This Idempotency-Key was used for another request.', FINAL)
}

export type LocalRecords = Omit<Records, 'close' | 'getMany'>

const MAX_LOCAL = 10_000

/** Records in memory, for a server without stored ones: the oldest are dropped. */
export function createLocalRecords(): LocalRecords {
  const kept = new RecentMap<string, unknown>(MAX_LOCAL)
  const at = (kind: string, id: string): string => `${kind}:${id}`
  return {
    get: async (kind, id) => kept.get(at(kind, id)),
    put: async (kind, id, value) => void kept.set(at(kind, id), value),
    async update(kind, id, change) {
      const value = change(kept.get(at(kind, id)))
      kept.set(at(kind, id), value)
      return value
    },
    remove: async (kind, id) => kept.delete(at(kind, id)),
    list: async kind =>
      [...kept].flatMap(([key, value]) =>
        key.startsWith(`${kind}:`) ? [{ id: key.slice(kind.length + 1), value }] : [],
      ),
  }
}
