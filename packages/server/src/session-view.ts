/** Sessions as the API shows them. */
import { type PendingItem, type SessionRow, threadNo } from '@toolwire/core'
import type { ServerContext } from './context.ts'
import { readMarks } from './session-marks.ts'
import type { SessionSummary } from './session-summary.ts'

export interface SessionView {
  readonly id: string
  readonly claude_session_id: string | null
  readonly workspace_path: string
  readonly created_at: string
  readonly updated_at: string
  readonly conversation_count: number
  readonly title: string | null
  readonly model: string
  readonly status: 'idle' | 'running' | 'paused' | 'failed'
  readonly is_waiting_for_tool: boolean
  readonly pending: readonly PendingItem[]
  readonly thread_id: number
  readonly tags?: readonly string[]
  /** It was put away. */
  readonly archived?: boolean
}

/** A session from its log; exact at this moment. */
export function toSessionView(row: SessionRow, summary: SessionSummary): SessionView {
  const pending = summary.pending()
  return {
    id: row.id,
    claude_session_id: summary.provider_session_id,
    workspace_path: summary.created?.cwd ?? '',
    created_at: new Date(row.createdAt).toISOString(),
    updated_at: new Date(row.updatedAt).toISOString(),
    conversation_count: summary.conversations,
    title: summary.title ?? row.title,
    model: summary.model,
    status: summary.status(),
    is_waiting_for_tool: pending.length > 0,
    pending,
    thread_id: threadNo(row.id),
    ...readMarks(row.labels),
  }
}

/** A session for a list: one at rest is shown from its row alone, without reading its log. */
export async function toListedView(context: ServerContext, row: SessionRow): Promise<SessionView> {
  const { labels } = row
  if (row.state !== 'idle' || labels['workspace'] === undefined)
    return toSessionView(row, await context.summaries.get(row.id))
  return {
    id: row.id,
    claude_session_id: labels['provider_session_id'] ?? null,
    workspace_path: labels['workspace'],
    created_at: new Date(row.createdAt).toISOString(),
    updated_at: new Date(row.updatedAt).toISOString(),
    conversation_count: Number(labels['conversations'] ?? 0),
    title: row.title,
    model: labels['model'] ?? '',
    status: labels['error'] === undefined ? 'idle' : 'failed',
    is_waiting_for_tool: false,
    pending: [],
    thread_id: threadNo(row.id),
    ...readMarks(row.labels),
  }
}
