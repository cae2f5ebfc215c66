/**
 * Limits the concurrent runs of a key, and of all browser tokens that it made. They are counted in the log, across all
 * its servers: a client that leaves its stream leaves the run running and frees no slot.
 */
import { AppError, type Facts, isBusy, type SessionRow, type Store } from '@toolwire/core'
import { RUN_KEY_LABEL, RUN_MAKER_LABEL } from './attribute-write.ts'
import type { Principal } from './principal.ts'
import { makerOf } from './token-book.ts'

export interface RunLimit {
  /**
   * Call it before a write that starts a run there, and its result when the write is done. Throws
   * `too_many_requests`. A session that already runs takes no further slot.
   */
  begin(principal: Pick<Principal, 'key_id' | 'limits' | 'token'>, session: string): Promise<() => void>
  /** Adds new runs to the budgets of their payer; a negative number takes some back. Throws `quota_exceeded`. */
  readonly count?: (principal: Principal, runs: number) => Promise<void>
}

const PAGE = 100

export function createRunLimit(
  store: Pick<Store, 'list'>,
  factsOf: (session: string) => Promise<Facts>,
): RunLimit {
  /** Sessions by key with a write in flight, which the log does not show yet. */
  const beginning = new Map<string, string[]>()

  async function* listRunning(label: string, key: string): AsyncGenerator<SessionRow> {
    let after: string | undefined
    do {
      const page = await store.list({
        state: 'running',
        labels: { [label]: key },
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      })
      yield* page.items
      after = page.next ?? undefined
    } while (after !== undefined)
  }
  /** Sessions whose latest run is of the key, or of a token that it made. */
  async function* listRuns(key: string): AsyncGenerator<string> {
    for await (const { id } of listRunning(RUN_KEY_LABEL, key)) yield id
    for await (const row of listRunning(RUN_MAKER_LABEL, key)) if (isByTokenOf(key, row)) yield row.id
  }
  async function countOthers(key: string, session: string, most: number, before: readonly string[]) {
    const found = new Set(before)
    found.delete(session)
    if (found.size >= most) return found.size
    for await (const id of listRuns(key)) {
      // The column lags behind the log when a run ends.
      if (id !== session && isBusy(await factsOf(id))) found.add(id)
      if (found.size >= most) break
    }
    return found.size
  }
  async function beginFor({ key_id, limits }: Holder, session: string): Promise<() => void> {
    const { concurrent } = limits
    if (key_id === null || concurrent === null) return () => {}
    const under = beginning.get(key_id) ?? []
    const before = [...under]
    beginning.set(key_id, under)
    under.push(session)
    const leave = (): void => {
      under.splice(under.indexOf(session), 1)
      if (under.length === 0) beginning.delete(key_id)
    }
    try {
      if ((await countOthers(key_id, session, concurrent, before)) < concurrent) return leave
      throw new AppError('too_many_requests', `This API key allows ${concurrent} runs at once.`, {
        retry_after: 1,
      })
    } catch (error) {
      leave()
      throw error
    }
  }

  return {
    async begin(principal, session) {
      const leave = await beginFor(principal, session)
      const maker = principal.token?.maker
      if (!maker) return leave
      try {
        const leaveMaker = await beginFor(maker, session)
        return () => {
          leave()
          leaveMaker()
        }
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}

type Holder = Pick<Principal, 'key_id' | 'limits'>

const isByTokenOf = (key: string, { labels }: Pick<SessionRow, 'labels'>): boolean =>
  makerOf(labels[RUN_KEY_LABEL] ?? '') === key
