/** Sessions as the API shows them. */
import { type Facts, type PendingItem, pendingOf, type SessionRow, statusOf, threadNo } from '@toolwire/core'
import type { ServerContext } from '../context.ts'
import { readTags } from './session-tags.ts'

export interface SessionView {
  readonly id: string
  readonly claude_session_id: string | null
  readonly workspace_path: string
  readonly created_at: string
  readonly updated_at: string
  readonly conversation_count: number
  readonly title: string | null
  readonly model: string
  /** Effort of thinking that models are asked for; absent in sessions that ask for nothing. */
  readonly effort?: string
  readonly status: 'idle' | 'running' | 'paused' | 'failed'
  readonly is_waiting_for_tool: boolean
  readonly pending: readonly PendingItem[]
  readonly thread_id: number
  readonly tags?: readonly string[]
  /** It was put away. */
  readonly archived?: boolean
}

/** A session from its log; exact at this moment. */
export function toSessionView(row: SessionRow, facts: Facts): SessionView {
  const pending = pendingOf(facts)
  return {
    id: row.id,
    claude_session_id: facts.session?.provider_session_id ?? null,
    workspace_path: facts.session?.cwd ?? '',
    created_at: new Date(row.createdAt).toISOString(),
    updated_at: new Date(row.updatedAt).toISOString(),
    conversation_count: facts.conversations,
    title: facts.session?.title ?? row.title,
    model: facts.session?.model ?? '',
    ...(facts.session?.effort === undefined ? {} : { effort: facts.session.effort }),
    status: statusOf(facts),
    is_waiting_for_tool: pending.length > 0,
    pending,
    thread_id: threadNo(row.id),
    ...readTags(row.labels),
  }
}

/** A session for a list: an idle one is shown from its row alone, without reading its log. */
export async function toListedView(context: ServerContext, row: SessionRow): Promise<SessionView> {
  const { labels } = row
  if (row.state !== 'idle' || labels['workspace'] === undefined)
    return toSessionView(row, await context.sessions.facts(row.id))
  return {
    id: row.id,
    claude_session_id: labels['provider_session_id'] ?? null,
    workspace_path: labels['workspace'],
    created_at: new Date(row.createdAt).toISOString(),
    updated_at: new Date(row.updatedAt).toISOString(),
    conversation_count: Number(labels['conversations'] ?? 0),
    title: row.title,
    model: labels['model'] ?? '',
    ...(labels['effort'] === undefined ? {} : { effort: labels['effort'] }),
    status: labels['error'] === undefined ? 'idle' : 'failed',
    is_waiting_for_tool: false,
    pending: [],
    thread_id: threadNo(row.id),
    ...readTags(row.labels),
  }
}
