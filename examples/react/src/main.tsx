/** Starts the page: one client, one session, one tree. */
import { createClient } from '@toolwire/client'
import { SessionProvider } from '@toolwire/react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { findSessionId } from './session-id.ts'
import '@toolwire/react/styles.css'
import './page.css'

const place = document.getElementById('app')
if (!place) throw new Error('The page has no place for the app.')
const client = createClient()
const sessionId = await findSessionId(client)
createRoot(place).render(
  <SessionProvider client={client} sessionId={sessionId}>
    <App />
  </SessionProvider>,
)
