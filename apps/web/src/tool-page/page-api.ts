/** Routes of pages beside calls. */
import { open, toRefusal } from '../server-api.ts'
import type { Fields } from './page-message.ts'

export interface ToolPageJson {
  readonly server: string
  readonly uri: string
  readonly html: string
  readonly tool: {
    readonly name: string
    readonly title?: string
    readonly description: string
    readonly input_schema: Fields
  }
  /** Origins that it asks to connect to and load from. */
  readonly connect: readonly string[]
  readonly load: readonly string[]
  readonly border?: boolean
  /** The session of its calls; absent before the first. */
  readonly session_id?: string
}

/** The page beside one call. All methods throw ToolwireError with the server's own words. */
export function pageApi(session: string, call: string) {
  const at = `/api/sessions/${encodeURIComponent(session)}/calls/${encodeURIComponent(call)}/page`
  return {
    page: (): Promise<ToolPageJson> => request(at),
    read: (uri: string): Promise<Fields> => request(`${at}/resource?uri=${encodeURIComponent(uri)}`),
    /** The call follows the same rules as any other; the session has its outcome. */
    call: (name: string, given: Fields): Promise<{ readonly session_id: string; readonly run_id: string }> =>
      request(`${at}/calls`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name, arguments: given }),
      }),
  }
}

export type PageApi = ReturnType<typeof pageApi>

async function request<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await open(path, init)
  if (!response.ok) throw await toRefusal(response)
  return (await response.json()) as T
}
