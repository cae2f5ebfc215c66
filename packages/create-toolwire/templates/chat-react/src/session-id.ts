import type { Client } from '@toolwire/client'

/** The session that the address names, so that a reload or a shared link continues it; otherwise a new one. */
export async function findSessionId(client: Client): Promise<string> {
  const known = location.hash.slice(1)
  if (known !== '') return known
  const { id } = await client.sessions.create()
  history.replaceState(null, '', `#${id}`)
  return id
}
