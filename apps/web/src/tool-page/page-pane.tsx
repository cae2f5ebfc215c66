/** The page that an MCP server shows beside a call, with what a person has to know of it and to decide for it. */
import type { CallView } from '@toolwire/core/view'
import { SessionProvider, ToolCallCard, useSessionContext, useView } from '@toolwire/react'
import { useCallback, useMemo, useState } from 'react'
import { client } from '../client.ts'
import { Dialog } from '../dialog.tsx'
import { followLink, sessionPath } from '../router.ts'
import { useStrings } from '../strings/use-strings.ts'
import { useLoaded } from '../use-loaded.ts'
import { ClickGuard } from './click-guard.tsx'
import { pageApi, type ToolPageJson } from './page-api.ts'
import { PageAsk, useAsked } from './page-asks.tsx'
import { keepContext } from './page-context.ts'
import { PageFrame } from './page-frame.tsx'

export interface PagePaneProps {
  readonly call: CallView
  readonly onClose: () => void
  /** Takes words that the page proposes; without it it cannot propose any. */
  readonly onSay?: (text: string) => void
}

export function PagePane({ call, onClose, onSay }: PagePaneProps) {
  const { a } = useStrings()
  const { session } = useSessionContext()
  const api = useMemo(() => pageApi(session.id, call.call_id), [session.id, call.call_id])
  const { data: page, error } = useLoaded(api.page)
  const [network, setNetwork] = useState(false)
  const [leaving, setLeaving] = useState(false)
  const [made, setMade] = useState('')
  const { asked, ask, settle } = useAsked(onSay !== undefined)
  const title = a('html.title', { name: call.title ?? call.name })
  const close = useCallback(() => (page ? setLeaving(true) : onClose()), [page, onClose])
  const decide = (granted: boolean) => {
    settle(granted)
    if (!granted || asked?.type !== 'say') return
    onSay?.(asked.text)
    setLeaving(true)
  }
  const calls = made || page?.session_id
  return (
    <Dialog title={title} open wide onClose={close}>
      {page && <PageBar page={page} network={network} onNetwork={() => setNetwork(true)} />}
      {error !== '' && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      {page && (
        <PageFrame
          key={String(network)}
          page={page}
          api={api}
          call={call}
          network={network}
          canSay={onSay !== undefined}
          title={title}
          leaving={leaving}
          onAsk={ask}
          onSession={setMade}
          onContext={text => keepContext(session.id, { server: page.server, text })}
          onGone={onClose}
        />
      )}
      {asked && (
        <ClickGuard key={asked.type === 'save' ? 'save' : `${asked.type} ${asked.text}`}>
          <PageAsk asked={asked} onSettle={decide} />
        </ClickGuard>
      )}
      {calls && <PageCalls session={calls} />}
    </Dialog>
  )
}

interface PageBarProps {
  readonly page: ToolPageJson
  readonly network: boolean
  readonly onNetwork: () => void
}

/** Whose page it is, and what it may reach. */
function PageBar({ page, network, onNetwork }: PageBarProps) {
  const { a } = useStrings()
  const { server } = page
  const hosts = [...new Set([...page.connect, ...page.load])].join(', ')
  return (
    <div className="html-bar">
      <span className="quiet">
        {network ? a('page.note_network', { server, hosts }) : a('page.note', { server })}
      </span>
      {!network && hosts !== '' && (
        <button type="button" className="button small page-network" title={hosts} onClick={onNetwork}>
          {a('page.network', { hosts })}
        </button>
      )}
    </div>
  )
}

/** Calls of the page that have not ended, with what has to be decided; and the way to all of them. */
function PageCalls({ session }: { readonly session: string }) {
  const { strings } = useStrings()
  return (
    <SessionProvider client={client} sessionId={session} strings={strings} density="everything">
      <OpenCalls session={session} />
    </SessionProvider>
  )
}

function OpenCalls({ session }: { readonly session: string }) {
  const { a } = useStrings()
  const active = useView(view => view.active)
  const calls = useView(view => view.calls)
  return (
    <div className="page-calls">
      {active.map(id => {
        const call = calls.get(id)
        return (
          call && (
            <ClickGuard key={`${id} ${call.state === 'awaiting_approval'}`}>
              <ToolCallCard call={call} anchor={false} />
            </ClickGuard>
          )
        )
      })}
      <a href={sessionPath(session)} onClick={followLink}>
        {a('page.calls', { n: calls.size })}
      </a>
    </div>
  )
}
