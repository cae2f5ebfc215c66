/** Starts the page: with the AI SDK's wire, or with AG-UI for an address that ends in `?ag-ui`. */
import type { UIMessage } from 'ai'
import { createRoot } from 'react-dom/client'
import { AgUiChat } from './ag-ui-chat.tsx'
import { AiSdkChat } from './ai-sdk-chat.tsx'

const root = document.getElementById('app')
if (!root) throw new Error('The page has no place for the app.')
// The address names the chat, so that a reload or a shared link continues it.
if (location.hash === '') history.replaceState(null, '', `#${crypto.randomUUID()}`)
const id = location.hash.slice(1)
const loaded = await fetch(`/api/ai/v7/chat/${id}/messages`)
if (!loaded.ok) throw new Error(await loaded.text())
const { messages } = (await loaded.json()) as { readonly messages: UIMessage[] }
createRoot(root).render(
  location.search === '?ag-ui' ? (
    <AgUiChat id={id} messages={messages} />
  ) : (
    <AiSdkChat id={id} messages={messages} />
  ),
)
