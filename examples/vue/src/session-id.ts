/** The session that the page shows: the one its address names, so that a reload or a shared link continues it. */
import type { Client } from '@toolwire/client'

/** Makes a session the first time and puts its id into the address. Throws ToolwireError when that is refused. */
export async function findSessionId(client: Client): Promise<string> {
  const known = location.hash.slice(1)
  if (known !== '') return known
  const { id } = await client.sessions.create({ title: document.title })
  history.replaceState(null, '', `#${id}`)
  return id
}
