/** Charges every turn of a model to the key that began its run, and to the key behind a browser token. */
import type { Append, Records, SessionEvent, Store } from '@toolwire/core'
import { RecentMap, readPages } from '@toolwire/core'
import type { StoreObserver } from '../observe/observe-store.ts'
import { getKey } from './api-key.ts'
import { KEY_LABEL } from './attribute-write.ts'
import { type BudgetHolder, chargeBudgets, findExhausted, readBudgets } from './budgets.ts'
import { addSpending } from './spending.ts'
import { makerOf } from './token-book.ts'
import type { TurnUsage } from './turn-usage.ts'

export interface SpendMeter {
  readonly observe: StoreObserver
  /** Resolves when everything seen so far is charged. */
  readonly settled: () => Promise<void>
  /**
   * The reason that a run of this key may not ask the model now: a budget is used up, by what all servers have charged.
   */
  readonly refuse: (key: string | undefined, model: string) => Promise<string | undefined>
}

/** Null: started without a key. */
type Payer = { readonly key: string | null } | 'the key of the session'

const KEEP = 20_000

type ModelTurn = TurnUsage & { readonly model: string | undefined }

/** `onError` hears of a charge that could not be stored; the run is not disturbed by it. */
export function createSpendMeter(
  store: Pick<Store, 'list' | 'read'>,
  records: Records,
  onError: (error: unknown, session: string) => void,
  now: () => Date = () => new Date(),
): SpendMeter {
  /** By session and run. */
  const payers = new RecentMap<string, Payer>(KEEP)
  const charging = new Set<Promise<void>>()

  async function keyOf(session: string, run: string): Promise<string | null> {
    const name = nameOf(session, run)
    const known = payers.get(name)
    if (known && known !== 'the key of the session') return known.key
    const begun = known ? undefined : await keyInLog(store, session, run)
    const key = begun ?? (await keyOfSession(store, session))
    // Unless the run has come to an end meanwhile.
    if (!known || payers.get(name) === known) payers.set(name, { key })
    return key
  }
  async function charge(session: string, run: string, turn: ModelTurn): Promise<void> {
    try {
      const key = await keyOf(session, run)
      if (key === null) return
      await addSpending(records, key, turn)
      const maker = makerOf(key)
      if (maker !== undefined) await addSpending(records, maker, turn)
      const holder = await findBudgets(records, key)
      if (holder) await chargeBudgets(records, holder, turn, now())
    } catch (error) {
      onError(error, session)
    }
  }
  function note(session: string, event: SessionEvent): void {
    const begun = beginningOf(event)
    if (!begun || begun.isOwn) return
    const { run, key } = begun
    payers.set(nameOf(session, run), key === undefined ? 'the key of the session' : { key })
  }
  return {
    observe(write, answer) {
      if (!('head' in answer)) return
      for (const event of write.events) {
        note(write.session, event)
        if (isEnd(event)) payers.take(nameOf(write.session, event.run_id ?? ''))
        const turn = isOfRunner(write) ? toTurn(event) : undefined
        if (!turn) continue
        const done = charge(write.session, event.run_id ?? '', turn).finally(() => charging.delete(done))
        charging.add(done)
      }
    },
    settled: async () => void (await Promise.all(charging)),
    async refuse(key, model) {
      await Promise.all(charging)
      const holder = key === undefined ? undefined : await findBudgets(records, key)
      if (!holder) return undefined
      return findExhausted(await readBudgets(records, holder, now()), model)?.message
    },
  }
}

/** Those of the key, or of the key behind a browser token. */
async function findBudgets(records: Records, key: string): Promise<BudgetHolder | undefined> {
  const subject = makerOf(key) ?? key
  const budgets = (await getKey(records, subject))?.budgets ?? []
  return budgets.length === 0 ? undefined : { subject, budgets }
}

/** A model was asked only where the owner of a session writes; the rest are copies, which cost nothing. */
const isOfRunner = ({ as }: Append): boolean => as !== undefined

const ENDS: ReadonlySet<SessionEvent['type']> = new Set([
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.paused',
])

/** Nothing is held for idle sessions; later usage is looked up in the log. */
const isEnd = ({ type, agent_run_id }: SessionEvent): boolean => agent_run_id === undefined && ENDS.has(type)

const nameOf = (session: string, run: string): string => `${session}:${run}`

/** Subagents have the run of their root agent. */
const beginningOf = (event: SessionEvent) =>
  event.type === 'run.started' && event.agent_run_id === undefined && event.run_id !== undefined
    ? { run: event.run_id, key: event.via?.key, isOwn: event.via === undefined }
    : undefined

/**
 * For a run that another process or the runtime started: the end of a background agent is reported to the model on
 * behalf of the run before.
 */
async function keyInLog(
  store: Pick<Store, 'read'>,
  session: string,
  run: string,
): Promise<string | undefined> {
  let latest: string | undefined
  for await (const page of readPages(store, session, { after: 0 }))
    for (const { ev } of page) {
      const begun = beginningOf(ev)
      if (!begun) continue
      latest = begun.isOwn ? latest : begun.key
      if (begun.run === run) return latest
    }
  return undefined
}

/** For what began before keys were noted in the log. */
async function keyOfSession(store: Pick<Store, 'list'>, session: string): Promise<string | null> {
  const [row] = (await store.list({ ids: [session], limit: 1 })).items
  return row?.labels[KEY_LABEL] ?? null
}

/** The usage of one message; an aborted message is included as far as its price is known. */
function toTurn(event: SessionEvent): ModelTurn | undefined {
  if (event.type !== 'turn.completed' && event.type !== 'message.aborted') return undefined
  if (!event.usage) return undefined
  const { input, cache_read, cache_write, output } = event.usage
  return {
    usd: event.cost_usd ?? null,
    input_tokens: input + cache_read + cache_write,
    output_tokens: output,
    model: event.type === 'turn.completed' ? event.model : undefined,
  }
}
