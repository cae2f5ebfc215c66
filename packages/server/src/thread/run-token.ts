/**
 * Run tokens: a message is accepted now and sent by whoever first reads its answer. The token is
 * the only credential of that read; its state is the log's, so a restart changes nothing.
 */
import { createHash, randomBytes } from 'node:crypto'
import { AppError, type Append, type Rec, type SessionRow } from '@toolwire/core'
import {
  decodeRunToken,
  encodeRunToken,
  type Prepared,
  readPrepared,
  type ThreadMessage,
  toPreparedNote,
} from '@toolwire/wire'
import { textOf, toTitle } from '../append-message.ts'
import { checkModels } from '../check-models.ts'
import type { ServerContext } from '../context.ts'
import { findSession } from '../find-session.ts'

const PAGE = 1000
const VIA = { protocol: 'thread' }
const MAX_TEXT = 10_000

/** Keeps the message in the thread's log. Throws as for a message that is sent. */
export async function prepareRun(
  context: ServerContext,
  session: string,
  input: ThreadMessage,
): Promise<{ readonly run_token: string; readonly user_msg_id: string }> {
  checkModels(context.config, input)
  const secret = randomBytes(24).toString('base64url')
  const { key_id } = context.principal()
  const prepared: Prepared = {
    message_id: context.ids.prefixed('msg_'),
    run_id: context.ids.uuid(),
    input,
    ...(key_id === null ? {} : { key_id }),
  }
  const note = { ...toPreparedNote(digestOf(secret), prepared), ts: context.clock.now().toISOString() }
  mustBeStored(await context.store.append([{ session, events: [note] }]))
  return { run_token: encodeRunToken(session, secret), user_msg_id: prepared.message_id }
}

export interface TokenRun {
  readonly row: SessionRow
  readonly digest: string
  readonly prepared: Prepared
  /** Nobody has read it yet; its run has started and goes on; it has ended or paused. */
  readonly phase: 'pending' | 'running' | 'over'
}

/** Throws `run_not_found` for a token that no thread has made. */
export async function findTokenRun(context: ServerContext, token: string): Promise<TokenRun> {
  const named = decodeRunToken(token)
  if (!named) throw new AppError('run_not_found')
  const row = await findSession(context.store, named.session).catch(error => {
    throw AppError.is(error) ? new AppError('run_not_found') : error
  })
  const digest = digestOf(named.secret)
  let prepared: Prepared | undefined
  let phase: TokenRun['phase'] = 'pending'
  for await (const rec of recordsOf(context, row.id)) {
    prepared ??= readPrepared(rec, digest)
    const { ev } = rec
    if (prepared && ev.run_id === prepared.run_id && ev.agent_run_id === undefined) {
      if (ev.type === 'input.message') phase = 'running'
      if (/^run\.(paused|completed|failed|cancelled)$/.test(ev.type)) phase = 'over'
    }
  }
  if (!prepared) throw new AppError('run_not_found')
  return { row, digest, prepared, phase }
}

/** Sends the prepared message. False when another reader of the same token was first. */
export async function startTokenRun(context: ServerContext, run: TokenRun): Promise<boolean> {
  const { row, digest, prepared } = run
  const ts = context.clock.now().toISOString()
  const { message_id, run_id, input } = prepared
  const text = textOf(input.content)
  const write: Append = {
    session: row.id,
    events: [
      { ...input, via: { ...(input.via ?? VIA), ...keyOf(prepared) }, ts, run_id, message_id },
      { ...toPreparedNote(digest, null), ts },
    ],
    key: `run:${digest}`,
    state: 'running',
    index: {
      text: text.slice(0, MAX_TEXT),
      ...(row.title === null && text !== '' ? { title: toTitle(text) } : {}),
    },
  }
  const stored = mustBeStored(await context.store.append([write]))
  context.runtime.wake(row.id)
  return 'head' in stored
}

/** The token is sent by whoever has it; the run is begun by the key that made it. */
const keyOf = ({ key_id }: Prepared) => (key_id === undefined ? {} : { key: key_id })

/** Every record of a session so far, page by page. */
async function* recordsOf(context: ServerContext, session: string): AsyncGenerator<Rec> {
  let position = 0
  for (;;) {
    const records = await context.reader.read(session, position, PAGE)
    yield* records
    position = records.at(-1)?.seq ?? position
    if (records.length < PAGE) return
  }
}

function mustBeStored(answers: Awaited<ReturnType<ServerContext['store']['append']>>) {
  const [answer] = answers
  if (answer && ('head' in answer || 'dup' in answer)) return answer
  const deleted = answer && 'missing' in answer && answer.missing === 'deleted'
  throw new AppError(deleted ? 'session_deleted' : 'session_not_found')
}

const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url')
