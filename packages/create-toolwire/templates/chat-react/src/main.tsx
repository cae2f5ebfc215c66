import { createClient } from '@toolwire/client'
import { SessionProvider } from '@toolwire/react'
import { createRoot } from 'react-dom/client'
import { Chat } from './chat.tsx'
import { findSessionId } from './session-id.ts'
import '@toolwire/react/styles.css'
import './page.css'

const client = createClient({ baseUrl: '/agent' })
const sessionId = await findSessionId(client)
const root = document.getElementById('app')
if (root)
  createRoot(root).render(
    <SessionProvider client={client} sessionId={sessionId}>
      <Chat />
    </SessionProvider>,
  )
