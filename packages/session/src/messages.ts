/** Messages as inputs. */
import { createHash } from 'node:crypto'
import {
  AppError,
  type Append,
  type ContentPart,
  type EventOf,
  type Facts,
  findQueued,
  type Seq,
  type SessionEvent,
} from '@toolwire/core'
import type { MessageGuard, MessageInput } from '@toolwire/wire'
import type { Draft } from './append.ts'
import { checkQueue, deliveryOf, interruptOf } from './queue-rules.ts'
import { isSameInput } from './same-input.ts'
import type { Sessions } from './sessions.ts'

const MAX_TITLE = 80
const MAX_TEXT = 10_000

/** The run that a message starts unless another one delivers it, and the seq of the message. */
export interface AppendedMessage {
  readonly run_id: string
  readonly seq: Seq
  readonly message_id: string
  readonly delivery: 'started' | 'queued' | 'steering' | 'interrupting'
  /** Its position among the messages that wait, from 1; 0 if it does not wait. */
  readonly position: number
}

export interface AppendMessageOptions {
  readonly key?: string | undefined
  readonly guard?: MessageGuard
}

/**
 * Appends a message once per key and returns its run. Throws `conflict` for a key of another message,
 * `session_running`, `run_changed` or `queue_full`.
 */
export async function appendMessage(
  sessions: Pick<Sessions, 'append' | 'facts' | 'ids' | 'stamp'>,
  session: string,
  input: MessageInput,
  { key, guard = {} }: AppendMessageOptions = {},
): Promise<AppendedMessage> {
  const stamp = sessions.stamp()
  const message_id = key === undefined ? sessions.ids.prefixed('msg_') : messageIdOf(session, key)
  const message = { ...input, ...stamp, message_id }
  const facts = await sessions.facts(session)
  // A repeated request gets what the first one got.
  if (!findQueued(facts, message_id)) checkQueue(facts, message, guard)
  const draft = draftMessage(session, message, facts)
  const keyed = draft.writes.map(write => ({
    ...write,
    events: [...write.events, ...interruptOf(facts, message)],
    key: `msg:${key ?? stamp.run_id}`,
  }))
  const compare = (recorded: SessionEvent) => compareMessages(recorded, input)
  const { items } = await sessions.append({ ...draft, writes: keyed, compare })
  const [item] = items
  const run_id = item?.recorded?.run_id ?? stamp.run_id
  const known = item?.isFirst === false ? await sessions.facts(session) : facts
  return { run_id, seq: item?.seq ?? 0, message_id, ...deliveryOf(known, message) }
}

/** The same for the same key, so that a repeated request finds its message. */
const messageIdOf = (session: string, key: string): string =>
  `msg_${createHash('sha256')
    .update(JSON.stringify([session, key]))
    .digest('base64url')
    .slice(0, 24)}`

/** One message without a key. Its text gives an untitled session its title. */
export function draftMessage(
  session: string,
  message: EventOf<'input.message'>,
  facts: Pick<Facts, 'conversations' | 'session'>,
): Draft {
  const hasTitle = facts.conversations > 0 || facts.session?.title !== undefined
  const index = toIndex(message.content, hasTitle)
  return { writes: [{ session, events: [message], state: 'running', index }], wakes: true }
}

/** Search text of a message, and the title that it gives to a session without one. */
export function toIndex(content: readonly ContentPart[], hasTitle: boolean): NonNullable<Append['index']> {
  const text = textOf(content)
  return { text: text.slice(0, MAX_TEXT), ...(hasTitle || text === '' ? {} : { title: toTitle(text) }) }
}

function compareMessages(recorded: SessionEvent, input: MessageInput): AppError | undefined {
  if (recorded.type !== 'input.message' || recorded.run_id === undefined) return new AppError('conflict')
  const { ts: _, run_id: __, message_id: ___, via: ____, ...before } = recorded
  const { via: _____, ...now } = input
  if (isSameInput(before, now)) return undefined
  return new AppError('conflict', 'This Idempotency-Key was used for another message.')
}

/** The text of a message, without its media. */
const textOf = (content: readonly ContentPart[]): string =>
  content
    .map(part => (part.type === 'text' ? part.text : ''))
    .join(' ')
    .trim()

/** The first line, truncated at a whole character. */
function toTitle(text: string): string {
  const line = text.split('\n', 1)[0] ?? ''
  const characters = [...line.slice(0, (MAX_TITLE + 1) * 2)]
  return characters.length > MAX_TITLE ? `${characters.slice(0, MAX_TITLE).join('')}…` : line
}
