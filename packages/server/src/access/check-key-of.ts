/** What is started later, by whoever holds a token, is still started by the key that made the token. */
import { AppError } from '@toolwire/core'
import type { ServerContext } from '../context.ts'
import { getKey, isCurrent, toPrincipal } from './api-key.ts'
import type { Principal } from './principal.ts'
import { checkBudget } from './spending.ts'

/**
 * Whose work it is, when a key that is kept says so. Throws `unauthorized` when the key was revoked or has expired since, `quota_exceeded` when its
 * budget is used up. Keys of the settings, and no key at all, pass.
 */
export async function checkKeyOf(
  { records, clock }: Pick<ServerContext, 'records' | 'clock'>,
  key_id: string | undefined,
): Promise<Principal | undefined> {
  const record = records && key_id !== undefined ? await getKey(records, key_id) : undefined
  if (!record) return undefined
  if (!isCurrent(record, clock.now())) throw new AppError('unauthorized')
  const principal = toPrincipal(record)
  await checkBudget(records, principal)
  return principal
}
