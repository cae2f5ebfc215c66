/** What happened, beside the conversation: as a timeline, or event by event through any wire. */
import { Icon, StatsBar, useStats } from '@toolwire/react'
import { useState } from 'react'
import { useWords } from '../strings/use-words.ts'
import { toggleTrace } from '../use-shortcuts.ts'
import { EventList } from './event-list.tsx'
import { Timeline } from './timeline.tsx'

export function TracePane() {
  const { t, a } = useWords()
  const stats = useStats()
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
      {tab === 'timeline' ? <Timeline /> : <EventList />}
      <footer>
        <StatsBar stats={stats} />
      </footer>
    </aside>
  )
}
