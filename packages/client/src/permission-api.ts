/** Actions that calls may take without asking: rules and grants, and explanations of decisions. */
import type { Http } from './http.ts'

/** A rule of the server's settings or of a project, or a grant given in a session. */
export interface PermissionRule {
  readonly id: string
  readonly rule: string
  readonly decision: 'allow' | 'ask' | 'deny'
  /** Its file or session. */
  readonly source: string
  /** False for a rule in a file that only a person edits. */
  readonly revocable: boolean
  /** Applies until then; always if absent. */
  readonly expires_at?: string
}

export interface Permissions {
  readonly mode: string
  readonly workspace: string | null
  readonly rules: readonly PermissionRule[]
  readonly grants: readonly PermissionRule[]
}

export interface ExplainCall {
  readonly tool: string
  readonly input?: unknown
  /** Its mode, workspace and grants decide; the server's defaults without it. */
  readonly session_id?: string
  readonly permission_mode?: string
}

/** All methods throw ToolwireError. */
export function createPermissionApi(http: Http) {
  return {
    /** Of a session; without one those that hold for every new session. */
    list: (session_id?: string): Promise<Permissions> =>
      http.json({ method: 'GET', path: '/api/permissions', query: { session_id } }),
    /** Takes a rule back; the next call like it is asked about again. A grant of a session needs that session. */
    revoke: (id: string, session_id?: string): Promise<void> => {
      const path = `/api/permissions/${encodeURIComponent(id)}`
      return http.send({ method: 'DELETE', path, query: { session_id } }, async () => {})
    },
    /** The decision for a call and its reason. Nothing is run or stored. */
    explain: (call: ExplainCall): Promise<Readonly<Record<string, unknown>>> =>
      http.json({ method: 'POST', path: '/api/permissions/explain', body: call }),
  }
}
