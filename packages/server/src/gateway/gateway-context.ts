/** Makes what the parts of the gateway share. Nothing to close. */
import type { ServerContext } from '../context.ts'
import type { GatewayContext } from './answer-plan.ts'
import { createLocalRecords } from './local-records.ts'
import { createReceipts } from './receipts.ts'
import { createSessionIndex } from './session-index.ts'

/** Labels and receipts outlive the process (receipts where the server has records), the rest does not. */
export function createGatewayContext(server: ServerContext): GatewayContext {
  const { store, records, clock, ids, config } = server
  const now = (): number => clock.now().getTime()
  const { shared: isShared, leases } = config
  return {
    ...server,
    index: createSessionIndex(store),
    receipts: createReceipts(records ?? createLocalRecords(), { now, newId: ids.uuid, isShared, leases }),
    readers: new Map(),
  }
}
