'use client'

import { type Client, createClient } from '@toolwire/client'
import { Announcer, Composer, ConnectionChip, SessionProvider, Thread } from '@toolwire/react'
import { useEffect, useState } from 'react'

const client = createClient({ baseUrl: '/agent' })
/** One for the page: effects run twice while you develop. */
let session: Promise<string> | undefined

export function Chat() {
  const [sessionId, setSessionId] = useState<string>()
  useEffect(() => {
    session ??= findSessionId(client)
    void session.then(setSessionId)
  }, [])
  if (sessionId === undefined) return null
  return (
    <SessionProvider client={client} sessionId={sessionId}>
      <main className="page">
        <header className="top">
          <h1>Chat</h1>
          <ConnectionChip />
        </header>
        <div className="thread">
          <Thread />
        </div>
        <Composer autoFocus />
        <Announcer />
      </main>
    </SessionProvider>
  )
}

/** The session that the address names, so that a reload or a shared link continues it; otherwise a new one. */
async function findSessionId(from: Client): Promise<string> {
  const known = location.hash.slice(1)
  if (known !== '') return known
  const { id } = await from.sessions.create()
  history.replaceState(null, '', `#${id}`)
  return id
}
