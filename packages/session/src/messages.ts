/** Messages as inputs. */
import {
  AppError,
  type Append,
  type ContentPart,
  type EventOf,
  type Facts,
  type Seq,
  type SessionEvent,
} from '@toolwire/core'
import type { MessageInput } from '@toolwire/wire'
import type { Draft } from './append.ts'
import { isSameInput } from './same-input.ts'
import type { Sessions } from './sessions.ts'

const MAX_TITLE = 80
const MAX_TEXT = 10_000

/** The run that responds to a message, and the seq of the message. */
export interface AppendedMessage {
  readonly run_id: string
  readonly seq: Seq
}

/** Appends a message once per key and returns its run. Throws `conflict` for a key of another message. */
export async function appendMessage(
  sessions: Pick<Sessions, 'append' | 'facts' | 'ids' | 'stamp'>,
  session: string,
  input: MessageInput,
  key?: string,
): Promise<AppendedMessage> {
  const stamp = sessions.stamp()
  const message = { ...input, ...stamp, message_id: sessions.ids.prefixed('msg_') }
  const draft = draftMessage(session, message, await sessions.facts(session))
  const keyed = draft.writes.map(write => ({ ...write, key: `msg:${key ?? stamp.run_id}` }))
  const compare = (recorded: SessionEvent) => compareMessages(recorded, input)
  const { items } = await sessions.append({ ...draft, writes: keyed, compare })
  const [item] = items
  return { run_id: item?.recorded?.run_id ?? stamp.run_id, seq: item?.seq ?? 0 }
}

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
