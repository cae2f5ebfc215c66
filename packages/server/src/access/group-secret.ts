/** Secrets that all servers of a group share through their records. */
import { randomBytes } from 'node:crypto'
import type { Records } from '@toolwire/core'

/** Made once; every later call returns the same. */
export async function loadGroupSecret(
  records: Pick<Records, 'update'>,
  kind: string,
  id: string,
): Promise<string> {
  const fresh = { secret: randomBytes(32).toString('base64url') }
  const stored = await records.update(kind, id, known => known ?? fresh)
  const { secret } = Object(stored) as { readonly secret?: unknown }
  return typeof secret === 'string' ? secret : fresh.secret
}
