/** The server that `chat` and `run` talk to. */
import { createClient, ToolwireError } from '@toolwire/client'
import { ExitError } from '../exit.ts'

export interface ServerFlags {
  readonly url?: string
  readonly session?: string
  readonly model?: string
  readonly mode?: string
}

export type Server = Awaited<ReturnType<typeof connect>>

const DEFAULT_URL = 'http://127.0.0.1:8000'

/** Checks that the server answers. The key comes from TOOLWIRE_API_KEY: an argument could be read by other users. */
export async function connect(flags: ServerFlags, env: Readonly<Record<string, string | undefined>>) {
  const url = (flags.url ?? env['TOOLWIRE_URL'] ?? DEFAULT_URL).replace(/\/+$/, '')
  if (!URL.canParse(url))
    throw new ExitError('usage', `--url must be an address such as ${DEFAULT_URL}, but is "${url}".`)
  const apiKey = env['TOOLWIRE_API_KEY']
  const client = createClient({ baseUrl: url, frameMs: 40, retries: 2, ...(apiKey ? { apiKey } : {}) })
  const explain = (error: unknown): never => {
    throw toExitError(error, url)
  }
  if (flags.session !== undefined) await client.sessions.get(flags.session).catch(explain)
  else await client.sessions.list({ limit: 1 }).catch(explain)
  const headers: Readonly<Record<string, string>> = apiKey ? { authorization: `Bearer ${apiKey}` } : {}
  return { url, client, headers }
}

/** One sentence for what went wrong between this command and the server. */
export function toExitError(error: unknown, url: string): ExitError {
  if (error instanceof ExitError) return error
  const { status, message } =
    error instanceof ToolwireError ? error : { status: undefined, message: String(error) }
  if (status === 401 || status === 403)
    return new ExitError('refused', `${url} did not accept the API key. Set TOOLWIRE_API_KEY to a valid key.`)
  if (status === undefined || status === 0)
    return new ExitError(
      'unreachable',
      `No Toolwire server answers at ${url}. Start one with \`toolwire start\`, or name another with --url.`,
    )
  return new ExitError('failed', message)
}

/** The session to talk in: the named one, the latest one, or a new one. */
export async function openSession(
  { client }: Pick<Server, 'client'>,
  flags: ServerFlags & { readonly continue?: boolean },
): Promise<string> {
  const settings = {
    ...(flags.model === undefined ? {} : { model: flags.model }),
    ...(flags.mode === undefined ? {} : { permission_mode: flags.mode }),
  }
  const latest = flags.continue ? (await client.sessions.list({ limit: 1 })).sessions[0]?.id : undefined
  const id = flags.session ?? latest
  if (id === undefined) return (await client.sessions.create(settings)).id
  if (Object.keys(settings).length > 0) await client.sessions.update(id, settings)
  return id
}
