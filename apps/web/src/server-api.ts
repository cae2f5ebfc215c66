/** Routes of the server that only this app uses; everything about sessions goes through the client. */
import { ToolwireError } from '@toolwire/client'
import type { Effort } from '@toolwire/core'
import { authorization } from './client.ts'
import type { ChangeJson } from './panel/changed-files.ts'
import type { ChangesScope } from './panel/changes-target.ts'

export interface ModelJson {
  readonly id: string
  /** Context window in tokens; absent if unknown. */
  readonly context?: number
  /** Its levels of effort, least first. */
  readonly efforts?: readonly Effort[]
  /** US dollars per million tokens; absent if unknown. */
  readonly price?: {
    readonly input: number
    readonly output: number
    readonly cache_read?: number
  }
}

export interface StorageJson {
  readonly sessions: number
  readonly events: number
  readonly bytes: number
  readonly by_state: Readonly<Record<string, number>>
  /** Sessions that `toolwire db prune` would delete, by age. */
  readonly prunable: readonly { readonly older_than_days: number; readonly sessions: number }[]
  readonly place: { readonly engine: 'sqlite' | 'postgres'; readonly data: string } | null
}

export interface FindingJson {
  readonly state: 'good' | 'note' | 'bad'
  readonly what: string
  readonly mend?: string
}

/** A rule of a file or a project, or a grant given in a session. */
export interface RuleJson {
  readonly id: string
  readonly rule: string
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly source: string
  /** False for a rule in a file that only people edit. */
  readonly revocable: boolean
  /** Applies until then; always if absent. */
  readonly expires_at?: string
}

/** A rule to be stored. */
export interface RuleInputJson {
  readonly rule: string
  readonly decision: RuleJson['decision']
  readonly scope: 'session' | 'project'
  readonly expires_at?: string
}

/** The server's reading of a rule, and its effect on a session. */
export interface RuleMeaningJson {
  /** Exactly as it would be kept. */
  readonly rule: string
  readonly decision: RuleJson['decision']
  readonly agent?: string
  readonly content?: string
  readonly tools: readonly string[]
  readonly calls: number
  readonly changed: number
  readonly writes: number
}

export interface PermissionsJson {
  readonly mode: string
  /** The workspace of the session, or of new ones. */
  readonly workspace: string | null
  readonly rules: readonly RuleJson[]
  readonly grants: readonly RuleJson[]
}

export interface ServerSettingsJson {
  readonly version: string
  /** Of new sessions. */
  readonly permission_mode: string
  /** The workspace of new sessions. */
  readonly workspace: string
  readonly sandbox: {
    readonly enabled: boolean
    readonly available: boolean
    readonly reason: string
  } | null
}

export interface McpServerJson {
  readonly name: string
  readonly state: 'connecting' | 'ready' | 'waiting' | 'needs_auth' | 'closed'
  readonly tools: number
  readonly authorization_url?: string
  readonly error?: string
}

/** A provider of models, and what may be known of its key. */
export interface ProviderJson {
  readonly provider: string
  readonly name: string
  readonly variable: string
  readonly set: boolean
  /** The source of the effective key; absent without one. */
  readonly source?: 'environment' | 'file' | 'settings'
  readonly last4?: string
  readonly base_url?: string
  /** A key is stored in Settings, effective or not. */
  readonly stored: boolean
  readonly api?: string
  /** The address that is asked, where it is not the vendor's own. */
  readonly address?: string
  /** One row for each key, where it has several. */
  readonly keys?: readonly { readonly cooling_ms: number }[]
  readonly models?: { readonly count: number }
  readonly last_error?: { readonly message: string }
}

export interface ProvidersJson {
  readonly providers: readonly ProviderJson[]
  /** Other servers may serve the same sessions, with separate keys. */
  readonly shared: boolean
}

export type ProviderTestJson =
  | { readonly ok: true; readonly models: number }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } }

export interface FileEntryJson {
  readonly name: string
  readonly kind: 'directory' | 'file' | 'link' | 'other'
  readonly bytes?: number
  /** The reason why Read would not open it without asking. */
  readonly denied?: string
}

interface FolderJson {
  readonly entries: readonly FileEntryJson[]
  readonly next: string | null
}

interface ChangesJson {
  readonly files: readonly ChangeJson[]
}

interface MemoryFileJson {
  readonly path: string
  readonly bytes: number
  readonly updated_at: string
}

export interface MemoryJson {
  readonly enabled: boolean
  readonly files: readonly MemoryFileJson[]
}

/** A version of an agent: settings of sessions under a name. */
export interface AgentJson {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly description?: string
  readonly system?: string
  readonly append_system?: string
  readonly model?: string
  readonly effort?: string
  readonly permission_mode?: 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions'
  readonly tools?: readonly string[]
  readonly limits?: Readonly<Record<string, number>>
  readonly updated_at: string
}

export interface SkillJson {
  readonly name: string
  readonly description: string
  readonly source: 'operator' | 'project'
  readonly path: string
  readonly allowed_tools: readonly string[]
  readonly for_models: boolean
  readonly for_users: boolean
  readonly shadowed_by?: string
  readonly warnings: readonly string[]
}

/** A part of a session's prompt. */
export interface ContextPartJson {
  readonly key: string
  readonly text: string
  readonly source: string
  readonly tokens: number
}

interface SessionContextJson {
  readonly parts: readonly ContextPartJson[]
  readonly tokens: number
  readonly skipped: readonly string[]
  readonly warnings: readonly string[]
  /** The next request records the prompt again. */
  readonly is_stale: boolean
}

/** Null clears a field. */
type AgentChangeJson = Readonly<
  Record<'description' | 'append_system' | 'model' | 'permission_mode', string | null>
>

interface SkillsJson {
  readonly skills: readonly SkillJson[]
  /** Folders and files that are not trusted. */
  readonly skipped: readonly string[]
  readonly warnings: readonly string[]
}

/** All methods throw ToolwireError with the server's own words. */
export const serverApi = {
  models: (also?: string): Promise<{ readonly default: string; readonly models: readonly ModelJson[] }> =>
    request('GET', `/api/models${also === undefined ? '' : `?also=${encodeURIComponent(also)}`}`),
  agents: (): Promise<{ readonly agents: readonly AgentJson[] }> => request('GET', '/api/agents?limit=100'),
  createAgent: (agent: AgentChangeJson & { readonly name: string }): Promise<AgentJson> =>
    request('POST', '/api/agents', agent),
  updateAgent: (id: string, change: AgentChangeJson & { readonly if_version: number }): Promise<AgentJson> =>
    request('POST', `/api/agents/${encodeURIComponent(id)}`, change),
  archiveAgent: (id: string): Promise<unknown> =>
    request('POST', `/api/agents/${encodeURIComponent(id)}/archive`),
  /** The prompt that the session's models get. */
  context: (session: string): Promise<SessionContextJson> =>
    request('GET', `/api/sessions/${encodeURIComponent(session)}/context`),
  refreshContext: (session: string): Promise<unknown> =>
    request('POST', `/api/sessions/${encodeURIComponent(session)}/context/refresh`),
  instructions: (): Promise<{ readonly instructions: string }> => request('GET', '/api/me/instructions'),
  setInstructions: (instructions: string): Promise<{ readonly instructions: string }> =>
    request('PUT', '/api/me/instructions', { instructions }),
  skills: (workspace?: string): Promise<SkillsJson> =>
    request('GET', `/api/skills${toQuery({ workspace, limit: '500' })}`),
  /** Runs one call in a separate session, as a model's call would run. */
  tryTool: (tool: string, input: unknown): Promise<{ readonly session_id: string }> =>
    request('POST', `/api/tools/${encodeURIComponent(tool)}/try`, { input, wait_ms: 0 }),
  /** The rules that count in a session, or in a new one. */
  permissions: (session?: string): Promise<PermissionsJson> =>
    request('GET', `/api/permissions${inSession(session)}`),
  /** Sets a rule, in place of the one that `replaces` names. */
  setRule: (
    wish: RuleInputJson,
    { session, replaces }: { readonly session: string | undefined; readonly replaces: string | undefined },
  ): Promise<{ readonly rule: RuleJson }> =>
    replaces === undefined
      ? request('POST', `/api/permissions${inSession(session)}`, wish)
      : request('PUT', `/api/permissions/${encodeURIComponent(replaces)}${inSession(session)}`, wish),
  /** Runs and remembers nothing. */
  explainRule: (rule: string, decision: RuleJson['decision'], session?: string): Promise<RuleMeaningJson> =>
    request('POST', '/api/permissions/explain', { rule, decision, session_id: session ?? null }),
  revoke: (id: string, session?: string): Promise<unknown> =>
    request('DELETE', `/api/permissions/${encodeURIComponent(id)}${inSession(session)}`),
  /** Effects that an undo of the scope would have on each file. */
  changes: (session: string, scope: ChangesScope): Promise<ChangesJson> =>
    request('GET', `/api/sessions/${encodeURIComponent(session)}/changes${toQuery({ ...scope })}`),
  undo: (session: string, scope: ChangesScope, paths?: readonly string[]): Promise<ChangesJson> =>
    request('POST', `/api/sessions/${encodeURIComponent(session)}/undo`, {
      ...(scope.call === undefined && scope.turn === undefined ? { session: true } : scope),
      ...(paths === undefined ? {} : { paths }),
    }),
  files: (session: string, path: string, cursor?: string): Promise<FolderJson> =>
    request('GET', `/api/sessions/${encodeURIComponent(session)}/files${toQuery({ path, cursor })}`),
  /** A file, or its first `limit` bytes; `bytes` is its whole size. */
  file: async (
    session: string,
    path: string,
    limit?: number,
  ): Promise<{ readonly blob: Blob; readonly bytes: number }> => {
    const response = await open(
      `/api/sessions/${encodeURIComponent(session)}/files/content${toQuery({ path })}`,
      limit === undefined ? {} : { headers: { range: `bytes=0-${limit - 1}` } },
    )
    if (response.status === 416) return { blob: new Blob(), bytes: 0 }
    if (!response.ok) throw await toRefusal(response)
    const blob = await response.blob()
    const total = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1]
    return { blob, bytes: total === undefined ? blob.size : Number(total) }
  },
  settings: (): Promise<ServerSettingsJson> => request('GET', '/api/settings'),
  storage: (): Promise<StorageJson> => request('GET', '/api/storage'),
  doctor: (): Promise<{ readonly findings: readonly FindingJson[] }> => request('GET', '/api/doctor'),
  providers: (): Promise<ProvidersJson> => request('GET', '/api/providers'),
  /** Replaces the stored key, unless the provider rejects the new one. */
  setProviderKey: (
    provider: string,
    entry: { readonly key?: string; readonly base_url?: string; readonly api?: string },
  ): Promise<{ readonly test: ProviderTestJson }> =>
    request('PUT', `/api/providers/${encodeURIComponent(provider)}/key`, { ...entry, test: true }),
  removeProviderKey: (provider: string): Promise<ProviderJson> =>
    request('DELETE', `/api/providers/${encodeURIComponent(provider)}/key`),
  testProvider: (provider: string): Promise<ProviderTestJson> =>
    request('POST', `/api/providers/${encodeURIComponent(provider)}/test`),
  mcp: (): Promise<{ readonly servers: readonly McpServerJson[] }> => request('GET', '/api/mcp'),
  memory: (): Promise<MemoryJson> => request('GET', '/api/memory'),
  forget: (path: string): Promise<unknown> =>
    request('DELETE', `/api/memory/${path.split('/').map(encodeURIComponent).join('/')}`),
}

const inSession = (session: string | undefined): string =>
  session === undefined ? '' : `?session_id=${encodeURIComponent(session)}`

const toQuery = (fields: Readonly<Record<string, string | undefined>>): string => {
  const pairs = Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

/** The response of a request with the key that is set, whatever its status. Throws `network`. */
export async function open(path: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(path, { ...init, headers: { ...authorization(), ...init.headers } })
  } catch (cause) {
    throw new ToolwireError('network', 'The server cannot be reached.', { cause })
  }
}

async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await open(path, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  if (!response.ok) throw await toRefusal(response)
  return (response.status === 204 ? undefined : await response.json()) as T
}

/** The address of a call's whole output. */
export const artifactPath = (session: string, call: string): string =>
  `/api/sessions/${encodeURIComponent(session)}/artifacts/${encodeURIComponent(call)}`

/** The refusal that a response holds. */
export async function toRefusal(response: Response): Promise<ToolwireError> {
  const body = (await response.json().catch(() => undefined)) as
    | { readonly error?: { readonly code?: string; readonly message?: string } }
    | undefined
  const { code = 'internal_error', message = response.statusText } = body?.error ?? {}
  return new ToolwireError(code, message, { status: response.status })
}
