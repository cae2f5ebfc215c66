/** The write side of a chat message: one input, appended once per idempotency key. */
import { AppError, type Append, type ContentPart, type Rec } from '@toolwire/core'
import type { MessageInput } from '@toolwire/wire'
import { checkModels } from './check-models.ts'
import type { ServerContext } from './context.ts'
import { isSameInput } from './same-input.ts'

const MAX_TITLE = 80
const MAX_SEARCH = 10_000

/** Appends the message and wakes the runtime; returns the run that answers it and where the message stands. Throws `conflict` for a reused key. */
export async function appendMessage(
  context: ServerContext,
  session: string,
  input: MessageInput,
  key: string | undefined,
): Promise<{ readonly run_id: string; readonly seq: number }> {
  const { store, ids, clock } = context
  checkModels(context.config, input)
  const run_id = ids.uuid()
  const text = textOf(input.content)
  const { conversations, title } = await context.summaries.get(session)
  const write: Append = {
    session,
    events: [{ ...input, ts: clock.now().toISOString(), run_id, message_id: ids.prefixed('msg_') }],
    key: `msg:${key ?? run_id}`,
    state: 'running',
    index: {
      text: text.slice(0, MAX_SEARCH),
      ...(conversations === 0 && title === undefined && text !== '' ? { title: toTitle(text) } : {}),
    },
  }
  const [answer] = await store.append([write])
  if (answer && 'missing' in answer)
    throw new AppError(answer.missing === 'deleted' ? 'session_deleted' : 'session_not_found')
  if (answer && 'dup' in answer)
    return { run_id: await runOf(context, session, answer.dup, input), seq: answer.dup }
  if (!answer || !('head' in answer)) throw new AppError('conflict')
  context.runtime.wake(session)
  return { run_id, seq: answer.head }
}

/** The run that this key already started; the same key with other words or options is a contradiction. */
async function runOf(
  context: ServerContext,
  session: string,
  seq: number,
  input: MessageInput,
): Promise<string> {
  const [rec]: readonly Rec[] = await context.store.read(session, seq - 1, 1)
  const ev = rec?.ev
  if (ev?.type !== 'input.message' || ev.run_id === undefined) throw new AppError('conflict')
  const { ts: _, run_id, message_id: __, via: ___, ...recorded } = ev
  const { via: ____, ...asked } = input
  if (!isSameInput(recorded, asked))
    throw new AppError('conflict', 'This Idempotency-Key was used for another message.')
  context.runtime.wake(session)
  return run_id
}

/** The words of a message, without its media. */
export const textOf = (content: readonly ContentPart[]): string =>
  content
    .map(part => (part.type === 'text' ? part.text : ''))
    .join(' ')
    .trim()

/** The first line, cut at a whole character. */
export function toTitle(text: string): string {
  const line = text.split('\n', 1)[0] ?? ''
  const characters = [...line.slice(0, MAX_TITLE * 2)]
  return characters.length > MAX_TITLE ? `${characters.slice(0, MAX_TITLE).join('')}…` : line
}
