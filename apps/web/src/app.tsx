/** The frame: sidebar, and the screen of the current address. */
import { useInbox } from '@toolwire/react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { client } from './client.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { InboxScreen } from './inbox/inbox-screen.tsx'
import { KeyForm } from './key-form.tsx'
import { Palette } from './palette/palette.tsx'
import { readPath, usePath } from './router.ts'
import { ChatScreen } from './screens/chat-screen.tsx'
import { HomeScreen } from './screens/home-screen.tsx'
import { UnknownScreen } from './screens/unknown-screen.tsx'
import { useSessionChanged } from './session-signal.ts'
import { ShortcutHelp } from './shortcut-help.tsx'
import { Sidebar } from './sidebar.tsx'
import { useStrings } from './strings/use-strings.ts'
import { useNotifications } from './use-notifications.ts'
import { useShortcuts } from './use-shortcuts.ts'

const SessionsScreen = lazy(async () => ({
  default: (await import('./screens/sessions-screen.tsx')).SessionsScreen,
}))
const AgentsScreen = lazy(async () => ({
  default: (await import('./agents/agents-screen.tsx')).AgentsScreen,
}))
const SettingsScreen = lazy(async () => ({
  default: (await import('./screens/settings-screen.tsx')).SettingsScreen,
}))
const ToolsScreen = lazy(async () => ({ default: (await import('./screens/tools-screen.tsx')).ToolsScreen }))

export function App() {
  const path = usePath()
  const inbox = useInbox(client, { inputs: 'short' })
  const { a } = useStrings()
  const [drawer, setDrawer] = useState(false)
  useShortcuts()
  useSessionChanged(inbox.refresh)
  useNotifications(inbox.data)
  // Another address: the drawer has done its work.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is the reason
  useEffect(() => setDrawer(false), [path])
  const waiting = inbox.data.length
  useEffect(() => {
    document.title = waiting > 0 ? a('title.waiting', { n: waiting, title: 'Toolwire' }) : 'Toolwire'
  }, [waiting, a])
  if (inbox.error?.status === 401) return <KeyForm />
  return (
    <div className="app" data-drawer={drawer}>
      <Sidebar path={path} waiting={waiting} onClose={() => setDrawer(false)} />
      <main>
        <ErrorBoundary key={boundaryKey(path)}>
          <Suspense fallback={null}>
            <Screen path={path} inbox={inbox} onMenu={() => setDrawer(true)} />
          </Suspense>
        </ErrorBoundary>
      </main>
      <ShortcutHelp />
      <Palette />
    </div>
  )
}

interface ScreenProps {
  readonly path: string
  readonly inbox: ReturnType<typeof useInbox>
  readonly onMenu: () => void
}

function Screen({ path, inbox, onMenu }: ScreenProps) {
  const route = readPath(path)
  switch (route.screen) {
    case 'home':
      return <HomeScreen onMenu={onMenu} />
    case 'session':
      return <ChatScreen key={route.id} id={route.id} panel={route.panel} file={route.file} onMenu={onMenu} />
    case 'sessions':
      return <SessionsScreen onMenu={onMenu} />
    case 'inbox':
      return <InboxScreen inbox={inbox} onMenu={onMenu} />
    case 'tools':
      return <ToolsScreen onMenu={onMenu} />
    case 'agents':
      return <AgentsScreen onMenu={onMenu} />
    case 'settings':
      return <SettingsScreen section={route.section} onMenu={onMenu} />
    case 'unknown':
      return <UnknownScreen />
  }
}

/** A session keeps its boundary, and so its state, when its side panel opens. */
const boundaryKey = (path: string): string => /^\/(?:sessions\/[^/]+|settings)/.exec(path)?.[0] ?? path
