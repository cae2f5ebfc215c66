/** One session: its conversation, what waits, the box to write in, and its trace beside it. */
import {
  Announcer,
  ApprovalBatch,
  Composer,
  ConnectionChip,
  QueueTray,
  SessionProvider,
  useConnection,
  useSessionContext,
  useView,
} from '@toolwire/react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { AppIcon } from '../app-icon.tsx'
import { CallActions } from '../call-actions.tsx'
import { client } from '../client.ts'
import { useComplete } from '../composer/use-complete.ts'
import { Code } from '../markdown/code.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { FullOutput } from '../output/full-output.tsx'
import { saveForm } from '../output/save-form.ts'
import { registerPageTools } from '../page-tools.ts'
import { usePreferences } from '../preferences.ts'
import { followLink, type PanelTab } from '../router.ts'
import { tellSessionChanged } from '../session-signal.ts'
import { SessionThread } from '../session-thread.tsx'
import { useStrings } from '../strings/use-strings.ts'
import { PageContextNote } from '../tool-page/page-context-note.tsx'
import { PageHost } from '../tool-page/page-host.tsx'
import { useSendWithContext } from '../tool-page/use-send-with-context.ts'
import { useDisconnectWhileHidden } from '../use-rest-while-hidden.ts'
import { togglePanel } from '../use-shortcuts.ts'
import { useStopOnEscape } from '../use-stop-on-escape.ts'
import { useWarmFonts } from '../use-warm-fonts.ts'
import { EffortSelect } from './effort-select.tsx'
import { ExpandAll } from './expand-all.tsx'
import { ExportMenu } from './export-menu.tsx'
import { BypassBanner, ModeSelect } from './mode-select.tsx'
import { ModelSelect } from './model-select.tsx'
import { type IfPaused, PendingNote } from './pending-note.tsx'
import { RulesButton } from './rules-button.tsx'
import { ScreenHeader } from './screen-header.tsx'
import { SessionContextMeter } from './session-context-meter.tsx'
import { SessionTitle } from './session-title.tsx'
import { WaitingBar } from './waiting-bar.tsx'

const SidePanel = lazy(async () => ({ default: (await import('../panel/side-panel.tsx')).SidePanel }))

export interface ChatScreenProps {
  readonly id: string
  readonly panel: PanelTab | undefined
  readonly file: string
  readonly onMenu: () => void
}

export function ChatScreen({ id, panel, file, onMenu }: ChatScreenProps) {
  const { strings } = useStrings()
  const { density } = usePreferences()
  useEffect(() => registerPageTools(id), [id])
  useDisconnectWhileHidden(id)
  return (
    <SessionProvider
      client={client}
      sessionId={id}
      strings={strings}
      density={density}
      text={Markdown}
      code={Code}
      callActions={CallActions}
      fullOutput={FullOutput}
      onForm={saveForm}
    >
      <Session panel={panel} file={file} onMenu={onMenu} />
    </SessionProvider>
  )
}

function Session({ panel, file, onMenu }: Omit<ChatScreenProps, 'id'>) {
  const { a } = useStrings()
  const { state, error } = useConnection()
  const { session } = useSessionContext()
  const phase = useView(view => view.phase)
  const waiting = useView(view => view.pending.length)
  const [draft, setDraft] = useState<{ readonly text: string }>()
  const [ifPaused, setIfPaused] = useState<IfPaused>('supersede')
  const send = useSendWithContext(ifPaused)
  const complete = useComplete()
  useStopOnEscape()
  useWarmFonts()
  // biome-ignore lint/correctness/useExhaustiveDependencies: their change is the reason
  useEffect(tellSessionChanged, [phase, waiting])
  if (state === 'closed' && error) return <Refused code={error.code} message={error.message} />
  return (
    <div className="chat" data-panel={panel !== undefined}>
      <section className="chat-main" data-tw-drop="">
        <ScreenHeader title={<SessionTitle />} onMenu={onMenu}>
          <ConnectionChip />
          <ExpandAll />
          <ExportMenu />
          <button
            type="button"
            className="icon-button"
            aria-pressed={panel !== undefined}
            aria-label={a('panel.title')}
            title={`${a('panel.title')} (Ctrl .)`}
            onClick={togglePanel}
          >
            <AppIcon name="panel" />
          </button>
        </ScreenHeader>
        <SessionThread />
        <footer className="chat-foot">
          <section className="dock" aria-label={a('chat.dock')}>
            <WaitingBar />
            <ApprovalBatch />
            <QueueTray />
          </section>
          <BypassBanner />
          <PageContextNote />
          <PendingNote value={ifPaused} onChange={setIfPaused} />
          <Composer autoFocus draft={draft} draftKey={session.id} onSend={send} complete={complete}>
            <ModelSelect />
            <EffortSelect />
            <ModeSelect />
            <RulesButton />
            <SessionContextMeter />
          </Composer>
        </footer>
        <Announcer />
        <PageHost onSay={text => setDraft({ text })} />
      </section>
      {panel !== undefined && (
        <Suspense fallback={<aside className="panel" />}>
          <SidePanel tab={panel} file={file} />
        </Suspense>
      )}
    </div>
  )
}

function Refused({ code, message }: { readonly code: string; readonly message: string }) {
  const { a } = useStrings()
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
