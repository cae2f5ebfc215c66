/** Facts of the server: its version, its model, its sandbox. */
import { formatTokens } from '@toolwire/core/view'
import { serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { useLoaded } from '../use-loaded.ts'
import { Group } from './group.tsx'
import { PriceTable } from './price-table.tsx'

const readModels = () => serverApi.models()

export function ServerGroup() {
  const { a, locale } = useStrings()
  const { data: models } = useLoaded(readModels)
  const { data: settings } = useLoaded(serverApi.settings)
  if (!models) return null
  const context = models.models.find(({ id }) => id === models.default)?.context
  const sandbox = settings?.sandbox
  const on = sandbox?.available === true && sandbox.enabled
  return (
    <Group title={a('server.title')}>
      <dl className="facts">
        {settings && (
          <div>
            <dt>{a('server.version')}</dt>
            <dd>
              {settings.version} · <a href="/reference">API</a>
            </dd>
          </div>
        )}
        <div>
          <dt>{a('server.model')}</dt>
          <dd>
            <code>{models.default}</code>
            {context !== undefined && (
              <span className="quiet"> · {a('server.window', { n: formatTokens(context, locale) })}</span>
            )}
          </dd>
        </div>
        {settings && (
          <div>
            <dt>{a('server.workspace')}</dt>
            <dd>
              <code>{settings.workspace}</code>
            </dd>
          </div>
        )}
        {sandbox && (
          <div data-sandbox={on}>
            <dt>{a('server.sandbox')}</dt>
            <dd>
              {a(on ? 'server.sandbox_on' : 'server.sandbox_off')}
              <p className="quiet">{sandbox.reason}</p>
            </dd>
          </div>
        )}
      </dl>
      <PriceTable models={models.models} />
    </Group>
  )
}
