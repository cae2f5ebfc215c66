/** Branches of a session over HTTP: another answer, another message, and the choice between them. */
import type { ContentPart } from '@toolwire/core'
import { type Http, newKey } from './http.ts'

export interface BranchOptions {
  readonly model?: string
  readonly options?: Readonly<Record<string, unknown>>
  /** For the effects of the replaced part: left as they are by default; `ask` lists them and opens nothing. */
  readonly effects?: 'keep' | 'restore' | 'ask'
  /** For agents that the replaced part left running. */
  readonly background?: 'keep' | 'stop'
  /** Ends the run in progress first; without it a running session is rejected. */
  readonly interrupt?: boolean
  /** Generated for every request by default. A repeated request with the same key opens one branch. */
  readonly idempotencyKey?: string
}

export interface BranchEffects {
  readonly files: readonly { readonly path: string; readonly action: string }[]
  readonly commands: readonly { readonly call_id: string; readonly command: string }[]
  readonly calls: readonly { readonly call_id: string; readonly name: string }[]
}

/** The ids are absent with `effects: 'ask'`. */
export interface BranchJson {
  readonly session_id: string
  readonly effects: BranchEffects
  readonly branch_id?: string
  readonly message_id?: string
  readonly run_id?: string
  /** Ids of messages that wait and run after it. */
  readonly queued?: readonly string[]
}

export interface BranchListJson {
  readonly session_id: string
  readonly active: string
  readonly branches: readonly {
    readonly branch_id: string
    readonly parent_branch_id: string | null
    readonly after_seq?: number
    readonly reason?: 'regenerate' | 'edit'
    readonly replaces?: string
  }[]
}

/** All methods throw ToolwireError. */
export function createBranchApi(http: Http) {
  const at = (id: string, rest: string): string => `/api/sessions/${encodeURIComponent(id)}${rest}`
  const open = (path: string, body: object, key = newKey()): Promise<BranchJson> =>
    http.json({ method: 'POST', path, body, key })
  return {
    /** Another answer to a message, in a new branch; to the latest one without `message_id`. */
    regenerate: (
      id: string,
      { idempotencyKey, ...options }: BranchOptions & { readonly message_id?: string } = {},
    ): Promise<BranchJson> => open(at(id, '/regenerate'), options, idempotencyKey),
    /** Another message in the place of one, in a new branch. */
    edit: (
      id: string,
      messageId: string,
      content: string | readonly ContentPart[],
      { idempotencyKey, ...options }: BranchOptions = {},
    ): Promise<BranchJson> => {
      const path = at(id, `/messages/${encodeURIComponent(messageId)}/edit`)
      return open(path, { content, ...options }, idempotencyKey)
    },
    branches: (id: string): Promise<BranchListJson> =>
      http.json({ method: 'GET', path: at(id, '/branches') }),
    /** Continues another branch; the session must be idle. Repeating it changes nothing. */
    selectBranch: (id: string, branchId: string): Promise<BranchListJson> =>
      http.json({ method: 'POST', path: at(id, `/branches/${encodeURIComponent(branchId)}/select`) }),
  }
}
