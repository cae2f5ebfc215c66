/** One session: its conversation, what waits, the box to write in, and its trace beside it. */
import {
  Announcer,
  ApprovalBatch,
  Composer,
  ConnectionChip,
  SessionProvider,
  useConnection,
  useView,
} from '@toolwire/react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { AppIcon } from '../app-icon.tsx'
import { CallActions } from '../call-actions.tsx'
import { client } from '../client.ts'
import { Code } from '../markdown/code.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { registerPageTools } from '../page-tools.ts'
import { usePreferences } from '../preferences.ts'
import { followLink } from '../router.ts'
import { tellSessionChanged } from '../session-signal.ts'
import { useWords } from '../strings/use-words.ts'
import { Thread } from '../thread.tsx'
import { PageContextNote } from '../tool-page/page-context-note.tsx'
import { PageHost } from '../tool-page/page-host.tsx'
import { useSendWithContext } from '../tool-page/use-send-with-context.ts'
import { useRestWhileHidden } from '../use-rest-while-hidden.ts'
import { toggleTrace } from '../use-shortcuts.ts'
import { useWarmFonts } from '../use-warm-fonts.ts'
import { ExpandAll } from './expand-all.tsx'
import { ExportMenu } from './export-menu.tsx'
import { ModeSelect } from './mode-select.tsx'
import { ModelSelect } from './model-select.tsx'
import { RulesButton } from './rules-button.tsx'
import { ScreenHeader } from './screen-header.tsx'
import { SessionContextMeter } from './session-context-meter.tsx'
import { SessionTitle } from './session-title.tsx'
import { WaitingBar } from './waiting-bar.tsx'

const TracePane = lazy(async () => ({ default: (await import('../trace/trace-pane.tsx')).TracePane }))

export interface ChatScreenProps {
  readonly id: string
  readonly trace: boolean
  readonly onMenu: () => void
}

export function ChatScreen({ id, trace, onMenu }: ChatScreenProps) {
  const { strings } = useWords()
  const { density } = usePreferences()
  useEffect(() => registerPageTools(id), [id])
  useRestWhileHidden(id)
  return (
    <SessionProvider
      client={client}
      sessionId={id}
      strings={strings}
      density={density}
      text={Markdown}
      code={Code}
      callActions={CallActions}
    >
      <Session trace={trace} onMenu={onMenu} />
    </SessionProvider>
  )
}

function Session({ trace, onMenu }: Omit<ChatScreenProps, 'id'>) {
  const { a } = useWords()
  const { state, error } = useConnection()
  const phase = useView(view => view.phase)
  const waiting = useView(view => view.pending.length)
  const [draft, setDraft] = useState<{ readonly text: string }>()
  const send = useSendWithContext()
  useWarmFonts()
  // biome-ignore lint/correctness/useExhaustiveDependencies: their change is the reason
  useEffect(tellSessionChanged, [phase, waiting])
  if (state === 'closed' && error) return <Refused code={error.code} message={error.message} />
  return (
    <div className="chat" data-trace={trace}>
      <section className="chat-main">
        <ScreenHeader title={<SessionTitle />} onMenu={onMenu}>
          <ConnectionChip />
          <ModelSelect />
          <ExpandAll />
          <ExportMenu />
          <button
            type="button"
            className="icon-button"
            aria-pressed={trace}
            aria-label={a('trace.title')}
            title={`${a('trace.title')} (Ctrl .)`}
            onClick={toggleTrace}
          >
            <AppIcon name="trace" />
          </button>
        </ScreenHeader>
        <Thread />
        <footer className="chat-foot">
          <WaitingBar />
          <ApprovalBatch />
          <PageContextNote />
          <Composer autoFocus draft={draft} onSend={send}>
            <ModeSelect />
            <RulesButton />
            <SessionContextMeter />
          </Composer>
        </footer>
        <Announcer />
        <PageHost onSay={text => setDraft({ text })} />
      </section>
      {trace && (
        <Suspense fallback={<aside className="trace" />}>
          <TracePane />
        </Suspense>
      )}
    </div>
  )
}

function Refused({ code, message }: { readonly code: string; readonly message: string }) {
  const { a } = useWords()
  const known = code === 'session_not_found' || code === 'session_deleted' || code === 'unauthorized'
  return (
    <section className="notice" role="alert">
      <h1>{a('error.title')}</h1>
      <p>{known ? a(`error.${code}`) : message}</p>
      <a className="button primary" href="/" onClick={followLink}>
        {a('unknown.back')}
      </a>
    </section>
  )
}
