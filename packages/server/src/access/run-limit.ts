/**
 * Limits the concurrent runs of a key. They are counted in the log, across all its servers: a client that leaves
 * its stream leaves the run running and frees no slot.
 */
import { AppError, type Facts, isBusy, type Store } from '@toolwire/core'
import { RUN_KEY_LABEL } from './attribute-write.ts'
import type { Principal } from './principal.ts'

export interface RunLimit {
  /**
   * Call it before a write that starts a run there, and its result when the write is done. Throws
   * `too_many_requests`. A session that already runs takes no further slot.
   */
  begin(principal: Principal, session: string): Promise<() => void>
}

const PAGE = 100

export function createRunLimit(
  store: Pick<Store, 'list'>,
  factsOf: (session: string) => Promise<Facts>,
): RunLimit {
  /** Sessions by key with a write in flight, which the log does not show yet. */
  const beginning = new Map<string, string[]>()

  async function countOthers(key: string, session: string, most: number, before: readonly string[]) {
    const found = new Set(before)
    let after: string | undefined
    do {
      const page = await store.list({
        state: 'running',
        labels: { [RUN_KEY_LABEL]: key },
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      })
      // The column lags behind the log when a run ends.
      for (const { id } of page.items) if (id !== session && isBusy(await factsOf(id))) found.add(id)
      after = page.next ?? undefined
    } while (after !== undefined && found.size < most)
    found.delete(session)
    return found.size
  }

  return {
    async begin({ key_id, limits: { concurrent } }, session) {
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
    },
  }
}
