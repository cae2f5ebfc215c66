/** The session as a file: its whole log, or its conversation to read. */
import { titleOf } from '@toolwire/core/view'
import { Icon, useSessionContext } from '@toolwire/react'
import { useId, useRef } from 'react'
import { client } from '../client.ts'
import { saveText } from '../output/save-text.ts'
import { useStrings } from '../strings/use-strings.ts'

export function ExportMenu() {
  const { a } = useStrings()
  const { session } = useSessionContext()
  const menu = useRef<HTMLDivElement>(null)
  const id = useId()
  const save = async (kind: 'json' | 'md' | 'html') => {
    menu.current?.hidePopover()
    const { view } = session.getSnapshot()
    const name = titleOf(view) || 'session'
    if (kind === 'json') {
      const log = await client.sessions.export(session.id)
      saveText(JSON.stringify(log, null, 2), name, { type: 'application/json', extension: 'json' })
    } else if (kind === 'md') {
      const { sessionMarkdown } = await import('../export/session-markdown.ts')
      saveText(sessionMarkdown(view), name, { type: 'text/markdown', extension: 'md' })
    } else {
      const { sessionPage } = await import('../export/session-page.ts')
      saveText(sessionPage(view), name, { type: 'text/html', extension: 'html' })
    }
  }
  return (
    <>
      <button
        type="button"
        className="icon-button export-button"
        popoverTarget={id}
        aria-label={a('session.export')}
        title={a('session.export')}
      >
        <Icon name="download" />
      </button>
      <div id={id} ref={menu} popover="auto" className="menu export-menu">
        {(['json', 'md', 'html'] as const).map(kind => (
          <button key={kind} type="button" onClick={() => void save(kind).catch(() => {})}>
            {a(`chat.export_${kind}`)}
          </button>
        ))}
      </div>
    </>
  )
}
