/** What happened, beside the conversation: as a timeline, or event by event through any wire. */
import { EventInspector, Icon, StatsBar, Timeline, useStats } from '@toolwire/react'
import { useState } from 'react'
import { revealCall } from '../reveal-call.ts'
import { useStrings } from '../strings/use-strings.ts'
import { toggleTrace } from '../use-shortcuts.ts'
import { SessionSettings } from './session-settings.tsx'
import { useTraceTarget } from './trace-target.ts'

export function TracePane() {
  const { t, a } = useStrings()
  const stats = useStats()
  const target = useTraceTarget()
  const [tab, setTab] = useState<'timeline' | 'events'>('timeline')
  return (
    <aside className="trace" aria-label={a('trace.title')}>
      <header>
        <div role="tablist" className="segments">
          {(['timeline', 'events'] as const).map(name => (
            <button
              key={name}
              type="button"
              role="tab"
              aria-selected={tab === name}
              onClick={() => setTab(name)}
            >
              {t(`trace.${name}`)}
            </button>
          ))}
        </div>
        <button type="button" className="icon-button" aria-label={a('trace.hide')} onClick={toggleTrace}>
          <Icon name="close" />
        </button>
      </header>
      <div className="trace-body">
        {tab === 'timeline' ? (
          <Timeline current={target} onSelect={call => revealCall(call)} />
        ) : (
          <EventInspector />
        )}
      </div>
      <footer>
        <SessionSettings />
        <StatsBar stats={stats} />
      </footer>
    </aside>
  )
}
