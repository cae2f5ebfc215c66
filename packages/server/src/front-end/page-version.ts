/** Messages of pages that are another version of one: edited, answered again, or sent from an earlier point. */
import { AppError, allExchanges, type EventOf, type SessionState } from '@toolwire/core'
import { appendMessage, type OpenedBranch, selectBranchOf } from '@toolwire/session'
import type { MessageGuard, MessageInput, PageText } from '@toolwire/wire'
import { findMessage, type KnownMessage, knownIds, locateMessage } from '../branches/locate-message.ts'
import { openVersion } from '../branches/open-branch.ts'
import type { ServerContext } from '../context.ts'
import { CONVERSATION_LABELS } from '../gateway/session-index.ts'
import { isSameMessage, withHistory } from './page-history.ts'

export interface PageMessage {
  readonly session: string
  readonly input: MessageInput
  /** Ids of the user messages before it, as the page shows them. */
  readonly earlier: readonly string[]
  /** The page named the message that it edits, or asked for another answer. */
  readonly intent: 'send' | 'edit' | 'regenerate'
  /** Ends a run of the replaced part: the page no longer shows it. */
  readonly interrupt: boolean
  readonly key: string | undefined
  readonly guard?: MessageGuard
  /** Texts before it, as the page shows them. */
  readonly texts: () => readonly PageText[]
  /** The meaning of a list of new messages alone; the server decides when absent. */
  readonly history?: PageHistory | undefined
}

export type PageHistory = 'append' | 'branch'

export interface PageRun {
  readonly run_id: string
  readonly seq: number
  /** The branch that it opened. */
  readonly branch_id?: string
}

const EDITED =
  'This message was sent before with other content. Edit it with its id in `messageId`, or send a new message.'

/** Appends the message where the page shows it. Throws `conflict` for a list that fits no branch. */
export async function sendFromPage(context: ServerContext, message: PageMessage): Promise<PageRun> {
  const { session, input, intent } = message
  const state = await context.sessions.state(session)
  const id = input.client_message_id
  const known = id === undefined ? undefined : findMessage(state, id)
  if (!known) return await sendNew(context, message, state)
  const event = await readMessage(context, session, known)
  if (intent === 'regenerate' && known.exchange) return await open(context, message, event.message_id, false)
  if (isSameMessage(event.content, input.content)) return { run_id: event.run_id ?? '', seq: known.seq }
  if (intent !== 'edit') throw new AppError('conflict', EDITED)
  return await open(context, message, event.message_id, true)
}

async function sendNew(context: ServerContext, message: PageMessage, state: SessionState): Promise<PageRun> {
  const { session, input, earlier, key, guard = {} } = message
  const location = locateMessage(state, { earlier, isWhole: await isWhole(context, message, state) })
  switch (location.type) {
    case 'append':
      break
    case 'replace':
      return await open(context, message, location.message_id, true)
    case 'continue':
      await selectBranchOf(
        context.sessions,
        { session, branch_id: location.branch_id, by: context.principal().key_id ?? 'client' },
        CONVERSATION_LABELS,
      )
  }
  const id = input.client_message_id
  const isNew = state.queue.length === 0 && allExchanges(state).length === 0
  const first = isNew ? withHistory(input, message.texts(), context.settings.importHistory) : input
  return await appendMessage(context.sessions, session, first, {
    key: key ?? (id === undefined ? undefined : `ui:${id}`),
    guard,
  })
}

/** Set once a page has sent messages that the session has before a new one: it sends all that it shows. */
const WHOLE_LISTS = 'whole_lists'

/** A page that sends its newest message alone and one that edits its first message send equal lists. */
async function isWhole(
  { sessions, store }: Pick<ServerContext, 'sessions' | 'store'>,
  { session, earlier, history }: PageMessage,
  state: SessionState,
): Promise<boolean> {
  if (history !== undefined) return history === 'branch'
  const { items } = await store.list({ ids: [session], limit: 1 })
  if (items[0]?.labels[WHOLE_LISTS] !== undefined) return true
  if (knownIds(state, earlier).length > 0) {
    const index = { labels: { [WHOLE_LISTS]: 'true' } }
    await sessions.append({ writes: [{ session, events: [], index }], wakes: false })
  }
  return false
}

async function open(
  context: ServerContext,
  { session, input, interrupt, key }: PageMessage,
  message_id: string,
  isEdit: boolean,
): Promise<OpenedBranch> {
  const { content, type: _, role: __, if_paused: ___, ...changes } = input
  return await openVersion(context, {
    session,
    message_id,
    ...(isEdit ? { content } : {}),
    changes,
    effects: 'keep',
    background: 'keep',
    interrupt,
    waits: !interrupt,
    key,
  })
}

async function readMessage(
  { sessions }: Pick<ServerContext, 'sessions'>,
  session: string,
  { seq }: KnownMessage,
): Promise<EventOf<'input.message'>> {
  const [rec] = await sessions.reader.read(session, seq - 1, 1)
  if (rec?.ev.type !== 'input.message') throw new AppError('message_not_found')
  return rec.ev
}
