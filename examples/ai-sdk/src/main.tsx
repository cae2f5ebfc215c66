/** Starts the page: the chat of the address, with the messages that the server has. */
import type { UIMessage } from 'ai'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { API } from './server.ts'

const root = document.getElementById('app')
if (!root) throw new Error('The page has no place for the app.')
// The address names the chat, so that a reload or a shared link continues it.
if (location.hash === '') history.replaceState(null, '', `#${crypto.randomUUID()}`)
const id = location.hash.slice(1)
const loaded = await fetch(`${API}/${id}/messages`)
if (!loaded.ok) throw new Error(await loaded.text())
const { messages } = (await loaded.json()) as { readonly messages: UIMessage[] }
createRoot(root).render(<App id={id} messages={messages} />)
