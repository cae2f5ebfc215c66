import { Announcer, Composer, ConnectionChip, Thread } from '@toolwire/react'

export function Chat() {
  return (
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
  )
}
