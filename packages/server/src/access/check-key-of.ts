/** What is started later, by whoever holds a token, is still started by the key that made the token. */
import { AppError } from '@toolwire/core'
import type { ServerContext } from '../context.ts'
import { getKey, isCurrent, toPrincipal } from './api-key.ts'
import { checkBudget } from './spending.ts'

/**
 * Throws `unauthorized` when the key was revoked or has expired since, `quota_exceeded` when its
 * budget is used up. Keys of the settings, and no key at all, pass.
 */
export async function checkKeyOf(
  { records, clock }: Pick<ServerContext, 'records' | 'clock'>,
  key_id: string | undefined,
): Promise<void> {
  const record = records && key_id !== undefined ? await getKey(records, key_id) : undefined
  if (!record) return
  if (!isCurrent(record, clock.now())) throw new AppError('unauthorized')
  await checkBudget(records, toPrincipal(record))
}
