/**
 * A page beside a call acts in a separate session: apart from the conversation, which its model would otherwise
 * read, and by the same rules. It uses the call's workspace and the current mode of the call's session; grants of
 * the model do not apply to the page.
 */
import {
  type EventOf,
  initial,
  type SessionRow,
  type SessionState,
  TRY_MODEL,
  TRY_OPTION,
} from '@toolwire/core'
import { sessionLabels } from '@toolwire/session'
import type { ServerContext } from '../context.ts'
import { idFromKey } from './id-from-key.ts'
import { ARCHIVED } from './session-tags.ts'

/** Names the session to whose call a page belongs. */
const PAGE_OF = 'page_of'

/** A call that has a page, and the tool it is of. */
export interface PagedCall {
  readonly row: SessionRow
  readonly call_id: string
  readonly tool: string
}

/** The same for the same call and the same owner, whether it exists or not. */
export const pageSessionId = (context: ServerContext, { row, call_id }: PagedCall): string =>
  idFromKey('page', context.principal().owner, JSON.stringify([row.id, call_id]))

/** The session as its first call would find it. */
export async function freshPageSession(context: ServerContext, call: PagedCall): Promise<SessionState> {
  const created = await toCreated(context, call)
  return { ...initial(), created, model: created.model, permission_mode: created.permission_mode }
}

/** Appends one call and wakes the runtime; calls are made one after the other. Throws `session_deleted`. */
export async function appendPageCall(
  context: ServerContext,
  call: PagedCall,
  { name, input }: { readonly name: string; readonly input: unknown },
): Promise<{ readonly session_id: string; readonly run_id: string }> {
  const session = pageSessionId(context, call)
  const run_id = context.ids.uuid()
  const created = await toCreated(context, call)
  await create(context, session, created, call.row.id)
  const { ts, permission_mode } = created
  const isOther = (await context.sessions.facts(session)).session?.permission_mode !== permission_mode
  const mode: readonly EventOf<'session.updated'>[] = isOther
    ? [{ type: 'session.updated', ts, permission_mode }]
    : []
  const message: EventOf<'input.message'> = {
    type: 'input.message',
    ts,
    run_id,
    message_id: context.ids.prefixed('msg_'),
    role: 'user',
    content: [{ type: 'text', text: name }],
    via: { protocol: 'api' },
    options: { [TRY_OPTION]: { name, input } },
    if_paused: 'queue',
  }
  await context.sessions.append({
    writes: [{ session, events: [...mode, message], state: 'running' }],
    wakes: true,
  })
  return { session_id: session, run_id }
}

/** The sessions of all pages beside calls of a session. */
export async function pageSessions({ store }: ServerContext, session: string): Promise<readonly string[]> {
  const out: string[] = []
  let after: string | undefined
  do {
    const page = await store.list({
      labels: { [PAGE_OF]: session },
      limit: 100,
      ...(after === undefined ? {} : { after }),
    })
    out.push(...page.items.map(row => row.id))
    after = page.next ?? undefined
  } while (after !== undefined)
  return out
}

async function toCreated(
  context: ServerContext,
  { row, call_id, tool }: PagedCall,
): Promise<EventOf<'session.created'>> {
  const { session } = await context.sessions.facts(row.id)
  return {
    type: 'session.created',
    ts: context.clock.now().toISOString(),
    cwd: session?.cwd ?? context.settings.workspace,
    model: TRY_MODEL,
    // The page's permission is decided call by call.
    tools: ['mcp__*', 'ReadMcpResource'],
    permission_mode: session?.permission_mode ?? 'default',
    title: `Page of ${tool}`,
    metadata: { [PAGE_OF]: { session_id: row.id, call_id, tool } },
  }
}

/** Put away from the start: lists of conversations leave it out, what waits in it is listed all the same. */
async function create(
  context: ServerContext,
  session: string,
  created: EventOf<'session.created'>,
  of: string,
): Promise<void> {
  const { ts, title = '' } = created
  await context.sessions.append({
    writes: [
      {
        session,
        create: true,
        events: [created, { type: 'session.updated', ts, archived: true }],
        state: 'idle',
        index: { title, labels: { ...sessionLabels(created), [ARCHIVED]: '1', [PAGE_OF]: of } },
      },
    ],
    wakes: false,
    // The page may have made calls before.
    compare: () => undefined,
  })
}
