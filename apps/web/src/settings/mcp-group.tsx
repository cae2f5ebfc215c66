/** The MCP servers that lend tools to this server: their state, their tools, signing in. */
import { type McpServerJson, serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { useLoaded } from '../use-loaded.ts'
import { Group } from './group.tsx'
import { SafeAddress } from './safe-address.tsx'

export function McpGroup() {
  const { a } = useStrings()
  const { data, error, refresh } = useLoaded(serverApi.mcp)
  if (!data && error === '') return null
  return (
    <Group title={a('mcp.title')} note={a('mcp.note')}>
      {data?.servers.length === 0 && <p className="quiet">{a('mcp.none')}</p>}
      <dl className="facts">
        {data?.servers.map(server => (
          <div key={server.name} data-mcp={server.state}>
            <dt>MCP: {server.name}</dt>
            <dd>
              <McpServer server={server} />
            </dd>
          </div>
        ))}
      </dl>
      {data && (
        <button type="button" className="button small" onClick={refresh}>
          {a('mcp.refresh')}
        </button>
      )}
    </Group>
  )
}

function McpServer({ server }: { readonly server: McpServerJson }) {
  const { a } = useStrings()
  return (
    <>
      {a(`mcp.${server.state}`)} · {a('mcp.tools', { n: server.tools })}
      {server.authorization_url !== undefined && (
        <p>
          {a('mcp.sign_in')}: <SafeAddress href={server.authorization_url} />
        </p>
      )}
      {server.error !== undefined && <p className="quiet">{server.error}</p>}
    </>
  )
}
