/** All pending items of all sessions, each with its own card. */
import { Inbox, type InboxItem, type PollState } from '@toolwire/react'
import { CallControls } from '../call-actions.tsx'
import { client } from '../client.ts'
import { Code } from '../markdown/code.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { saveForm } from '../output/save-form.ts'
import { navigate, sessionPath } from '../router.ts'
import { useStrings } from '../strings/use-strings.ts'
import { useDisconnectWhileHidden } from '../use-rest-while-hidden.ts'
import { ScreenHeader } from './screen-header.tsx'

export interface InboxScreenProps {
  readonly inbox: PollState<readonly InboxItem[]>
  readonly onMenu: () => void
}

export function InboxScreen({ inbox, onMenu }: InboxScreenProps) {
  const { t, a, strings } = useStrings()
  return (
    <>
      <ScreenHeader title={t('inbox.title')} onMenu={onMenu} />
      <div className="page">
        <p className="lead">{a('inbox.lead')}</p>
        <Inbox
          client={client}
          inbox={inbox}
          strings={strings}
          text={Markdown}
          code={Code}
          callActions={CallControls}
          onForm={saveForm}
          href={sessionPath}
          onOpen={id => navigate(sessionPath(id))}
        >
          {id => <Resting id={id} />}
        </Inbox>
      </div>
    </>
  )
}

function Resting({ id }: { readonly id: string }) {
  useDisconnectWhileHidden(id)
  return null
}
