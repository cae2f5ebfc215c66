/** Ways out of a run that failed: retry, check the provider's key, or continue with the demo model. */
import type { TurnView } from '@toolwire/core/view'
import { Icon, useSessionContext, useView } from '@toolwire/react'
import { AppIcon } from '../app-icon.tsx'
import { client } from '../client.ts'
import { followLink } from '../router.ts'
import { useStrings } from '../strings/use-strings.ts'
import { useModels } from '../use-models.ts'

const DEMO = 'demo'

/** Errors that another key, address or model can fix. */
const PROVIDER_ERRORS: ReadonlySet<string> = new Set([
  'missing_key',
  'unknown_model',
  'model_auth',
  'model_error',
  'model_rate_limited',
  'model_unavailable',
  'model_timeout',
])

export function FailedTurnActions({ turn }: { readonly turn: TurnView }) {
  const { session } = useSessionContext()
  const { a } = useStrings()
  const model = useView(view => view.info.model)
  const hasDemo = useModels(model).some(({ id }) => id === DEMO)
  const retry = async (): Promise<void> => {
    const message = session.getSnapshot().view.messages.get(turn.messages[0] ?? '')
    if (message) await session.send(message.content)
  }
  const retryWithDemo = async (): Promise<void> => {
    await client.sessions.update(session.id, { model: DEMO })
    await retry()
  }
  return (
    <>
      <button type="button" data-tw-part="quiet-button" onClick={() => void retry().catch(() => {})}>
        <Icon name="send" />
        <span>{a('session.retry')}</span>
      </button>
      {PROVIDER_ERRORS.has(turn.error?.code ?? '') && (
        <>
          {/* biome-ignore lint/a11y/useValidAnchor: it navigates */}
          <a
            data-tw-part="quiet-button"
            className="open-settings"
            href="/settings#providers"
            onClick={followLink}
          >
            <AppIcon name="settings" />
            <span>{a('session.check_key')}</span>
          </a>
          {hasDemo && model !== DEMO && (
            <button
              type="button"
              data-tw-part="quiet-button"
              className="use-demo"
              onClick={() => void retryWithDemo().catch(() => {})}
            >
              <span>{a('session.use_demo')}</span>
            </button>
          )}
        </>
      )}
    </>
  )
}
