/**
 * What every store must do, as tests. A store's own test file calls `describeStoreContract`
 * with a way to make a fresh store; nothing here knows which store it is.
 */
import type { Store } from '@toolwire/core'
import { afterEach, beforeEach, describe } from 'vitest'
import { describeHints, describeList } from './contract/list-rules.ts'
import { describeCreation, describeKeys, describeNumbering } from './contract/log-rules.ts'
import { describeClaims, describeOwnership } from './contract/ownership-rules.ts'
import { describeMaintenance, describeSearch } from './contract/search-rules.ts'

export interface StoreHarness {
  /** Empty. */
  readonly store: Store
  /** Advances the store's clock by at least a millisecond. */
  readonly tick: () => Promise<void>
  /** Makes the ownership of `node` a dead one, as if its process had ended long ago. */
  readonly endNode: (node: string) => Promise<void>
  /** Frees everything, the store included. */
  readonly dispose: () => Promise<void>
}

export function describeStoreContract(name: string, createHarness: () => Promise<StoreHarness>): void {
  describe(`${name} store`, () => {
    let harness: StoreHarness
    let store: Store
    beforeEach(async () => {
      harness = await createHarness()
      store = harness.store
    })
    afterEach(() => harness.dispose())

    describeNumbering(() => store)
    describeCreation(() => store)
    describeKeys(() => store)
    describeOwnership(
      () => store,
      node => harness.endNode(node),
    )
    describeClaims(
      () => store,
      node => harness.endNode(node),
    )
    describeHints(() => store)
    describeList(
      () => store,
      () => harness.tick(),
    )
    describeSearch(() => store)
    describeMaintenance(
      () => store,
      () => harness.tick(),
    )
  })
}
