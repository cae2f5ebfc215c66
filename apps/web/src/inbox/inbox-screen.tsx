/** Everything that waits for a decision, over all sessions: filters, one card each, and one decision for several. */
import { Inbox, type InboxItem, type PollState } from '@toolwire/react'
import { useCallback, useMemo, useState } from 'react'
import { CallControls } from '../call-actions.tsx'
import { client } from '../client.ts'
import { Code } from '../markdown/code.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { saveForm } from '../output/save-form.ts'
import { navigate, sessionPath } from '../router.ts'
import { ScreenHeader } from '../screens/screen-header.tsx'
import { useStrings } from '../strings/use-strings.ts'
import { useDisconnectWhileHidden } from '../use-rest-while-hidden.ts'
import { BulkDecision } from './bulk-decision.tsx'
import { fitsFilter, InboxFilters, NO_FILTER } from './inbox-filters.tsx'
import { useInboxKeys } from './use-inbox-keys.ts'

export interface InboxScreenProps {
  readonly inbox: PollState<readonly InboxItem[]>
  readonly onMenu: () => void
}

export function InboxScreen({ inbox, onMenu }: InboxScreenProps) {
  const { t, a, strings } = useStrings()
  const [filter, setFilter] = useState(NO_FILTER)
  const { data } = inbox
  const shown = useMemo(() => data.filter(item => fitsFilter(item, filter)), [data, filter])
  const fits = useCallback((item: Parameters<typeof fitsFilter>[0]) => fitsFilter(item, filter), [filter])
  useInboxKeys(shown.map(({ id }) => id).join())
  const isFiltered = filter.kind !== '' || filter.tool !== '' || filter.text.trim() !== ''
  return (
    <>
      <ScreenHeader title={t('inbox.title')} onMenu={onMenu} />
      <div className="page">
        <p className="lead">{a('inbox.lead')}</p>
        {(data.length > 1 || isFiltered) && <InboxFilters items={data} value={filter} onChange={setFilter} />}
        <BulkDecision items={shown} onDecided={inbox.refresh} />
        {isFiltered && shown.length === 0 ? (
          <p className="empty">
            {a('nav.no_match')}{' '}
            <button type="button" className="link-button" onClick={() => setFilter(NO_FILTER)}>
              {a('inbox.clear')}
            </button>
          </p>
        ) : (
          <Inbox
            client={client}
            inbox={inbox}
            filter={fits}
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
        )}
        {data.length > 0 && <p className="quiet inbox-keys">{a('inbox.keys')}</p>}
      </div>
    </>
  )
}

function Resting({ id }: { readonly id: string }) {
  useDisconnectWhileHidden(id)
  return null
}
