/** Answers to what waits: approvals, questions, client tools. Each may be given twice; the first counts. */
import type { PendingItem, ToolSpec } from '@toolwire/core'
import { type Http, newKey } from './http.ts'
import { ToolwireError } from './toolwire-error.ts'

export interface ToolOutput {
  readonly call_id: string
  /** A string as it is, anything else as JSON. */
  readonly output: unknown
  readonly is_error?: boolean
}

export interface Decision {
  readonly approval_id: string
  readonly session_id: string
  readonly call_id: string
  /** The effective decision: the first answer given. */
  readonly decision: string
  readonly reason?: string
  /** False if an earlier answer exists. */
  readonly first: boolean
}

/** Something that waits, as lists show it. */
export type ListedItem = PendingItem & {
  /** `input_text` is only the beginning; the session's own log has all of it. */
  readonly input_cut?: true
  /** Length of the whole `input_text` where it was cut. */
  readonly input_chars?: number
}

/** Something that waits, and where. */
export type InboxItem = ListedItem & { readonly session_id: string }

export interface ApproveOptions {
  readonly reason?: string
  /** A rule to keep, so that the like is not asked again. */
  readonly rule?: string
  /** Seconds for which the rule applies; permanent if absent. */
  readonly rule_ttl_s?: number
  /** Arguments to run instead. */
  readonly input?: unknown
}

/** All methods throw ToolwireError. */
export function createAnswerApi(http: Http) {
  return {
    /** Answers client tools. `first` is false where an equal answer was there before. Throws `already_answered` for another. */
    toolOutputs: (
      id: string,
      outputs: readonly ToolOutput[],
      options: { readonly signal?: AbortSignal; readonly retries?: number } = {},
    ): Promise<{ readonly accepted: readonly { readonly tool_use_id: string; readonly first: boolean }[] }> =>
      http.json({
        method: 'POST',
        path: `/api/sessions/${encodeURIComponent(id)}/tool_outputs`,
        body: { tool_outputs: outputs.map(output => ({ ...output, output: toText(output.output) })) },
        key: newKey(),
        ...options,
      }),
    /** Everything that waits, over all sessions. With `short` long arguments are cut, for lists that are read often. */
    async pending(limit?: number, inputs?: 'full' | 'short'): Promise<readonly InboxItem[]> {
      const answer = await http.json<{ pending: readonly InboxItem[] }>({
        method: 'GET',
        path: '/api/pending',
        query: { limit, inputs },
      })
      return answer.pending
    },
    approve: (approvalId: string, options: ApproveOptions = {}): Promise<Decision> =>
      decide(http, approvalId, { decision: 'approved', ...options }),
    /** The reason reaches the model. */
    deny: (approvalId: string, reason?: string): Promise<Decision> =>
      decide(http, approvalId, { decision: 'denied', ...(reason === undefined ? {} : { reason }) }),
    /** Answers a question, or a call instead of running it. */
    answer: (approvalId: string, answer: unknown): Promise<Decision> =>
      decide(http, approvalId, { decision: 'approved', answer }),
    async tools(): Promise<readonly ToolSpec[]> {
      return (await http.json<{ tools: readonly ToolSpec[] }>({ method: 'GET', path: '/api/tools' })).tools
    },
  }
}

/** The first answer wins on the server, so sending it again is harmless. */
const decide = (http: Http, approvalId: string, body: unknown): Promise<Decision> =>
  http.json({ method: 'POST', path: `/api/approvals/${encodeURIComponent(approvalId)}`, body, key: newKey() })

/** Throws `bad_request` for a value that JSON cannot hold. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value ?? null)
  } catch (cause) {
    throw new ToolwireError('bad_request', 'An output must be JSON.', { cause })
  }
}
