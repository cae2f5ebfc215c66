/** The side panel of a session: its changes, the files of its workspace, its timeline and its events. */
import { EventInspector, Icon, StatsBar, Timeline, useSessionContext, useStats } from '@toolwire/react'
import { type KeyboardEvent, lazy, Suspense } from 'react'
import { revealCall } from '../reveal-call.ts'
import { navigate, PANEL_TABS, type PanelTab, sessionPath } from '../router.ts'
import { useStrings } from '../strings/use-strings.ts'
import { togglePanel } from '../use-shortcuts.ts'
import { PanelHandle } from './panel-handle.tsx'
import { SessionSettings } from './session-settings.tsx'
import { useTraceTarget } from './trace-target.ts'

const ChangesTab = lazy(async () => ({ default: (await import('./changes-tab.tsx')).ChangesTab }))
const PromptTab = lazy(async () => ({ default: (await import('./prompt-tab.tsx')).PromptTab }))
const FilesTab = lazy(async () => ({ default: (await import('./files-tab.tsx')).FilesTab }))

export interface SidePanelProps {
  readonly tab: PanelTab
  /** Of the files: relative to the workspace. */
  readonly file: string
}

export function SidePanel({ tab, file }: SidePanelProps) {
  const { a } = useStrings()
  return (
    <aside className="panel" aria-label={a('panel.title')}>
      <PanelHandle />
      <header>
        <Tabs tab={tab} />
        <button type="button" className="icon-button" aria-label={a('panel.hide')} onClick={togglePanel}>
          <Icon name="close" />
        </button>
      </header>
      <div className="panel-body" role="tabpanel" id="panel-body" aria-labelledby={`tab-${tab}`}>
        <Suspense fallback={null}>
          <Tab tab={tab} file={file} />
        </Suspense>
      </div>
      {(tab === 'trace' || tab === 'events') && <Totals />}
    </aside>
  )
}

function Tab({ tab, file }: SidePanelProps) {
  const target = useTraceTarget()
  switch (tab) {
    case 'changes':
      return <ChangesTab />
    case 'files':
      return <FilesTab path={file} />
    case 'trace':
      return <Timeline current={target} onSelect={call => revealCall(call)} />
    case 'events':
      return <EventInspector />
    case 'prompt':
      return <PromptTab />
  }
}

function Totals() {
  const stats = useStats()
  return (
    <footer>
      <SessionSettings />
      <StatsBar stats={stats} />
    </footer>
  )
}

function Tabs({ tab }: { readonly tab: PanelTab }) {
  const { a } = useStrings()
  const { session } = useSessionContext()
  const open = (name: PanelTab) => navigate(sessionPath(session.id, name), true)
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const next = PANEL_TABS.at((PANEL_TABS.indexOf(tab) + step) % PANEL_TABS.length) ?? tab
    open(next)
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus()
  }
  return (
    <div role="tablist" className="segments" aria-label={a('panel.title')} onKeyDown={onKeyDown}>
      {PANEL_TABS.map(name => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          data-tab={name}
          aria-selected={tab === name}
          aria-controls="panel-body"
          tabIndex={tab === name ? 0 : -1}
          onClick={() => open(name)}
        >
          {a(`panel.${name}`)}
        </button>
      ))}
    </div>
  )
}
