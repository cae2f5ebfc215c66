/** Starts the page: with the components of CopilotKit 2, or the classic ones for an address that ends in `?classic`. */
import { createRoot } from 'react-dom/client'

const root = document.getElementById('app')
if (!root) throw new Error('The page has no place for the app.')
// The address names the thread, so that a reload or a shared link continues it.
if (location.hash === '') history.replaceState(null, '', `#${crypto.randomUUID()}`)
const threadId = location.hash.slice(1)
const { Page } =
  location.search === '?classic' ? await import('./classic-page.tsx') : await import('./page.tsx')
createRoot(root).render(<Page threadId={threadId} />)
