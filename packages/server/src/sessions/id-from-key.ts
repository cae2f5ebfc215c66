/** One idempotency key, one session: the session's id is made from the key, and from whose key it is. */
import { createHash } from 'node:crypto'

export function idFromKey(
  kind: 'session' | 'agent' | 'thread' | 'page' | 'named' | 'alias' | 'mcp' | 'branch' | 'file',
  owner: string,
  key: string,
): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([kind, owner, key]))
    .digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
