/**
 * Run tokens: a message is accepted now and starts when its response is first read. The token is the only
 * credential of that read; its state is in the log, so a restart changes nothing.
 */
import { createHash, randomBytes } from 'node:crypto'
import { AppError, type Append, endsRun, readPages, type SessionEvent, type SessionRow } from '@toolwire/core'
import { toIndex } from '@toolwire/session'
import {
  decodeRunToken,
  encodeRunToken,
  type PreparedThread,
  readPrepared,
  type ThreadMessage,
  toPreparedNote,
} from '@toolwire/wire'
import type { ServerContext } from '../context.ts'
import { checkModels } from '../sessions/check-models.ts'
import { findSession } from '../sessions/find-session.ts'

const VIA = { protocol: 'thread' }

/** Keeps the message in the thread's log. Throws as for a message that is sent. */
export async function prepareRun(
  context: ServerContext,
  session: string,
  input: ThreadMessage,
): Promise<{ readonly run_token: string; readonly user_msg_id: string }> {
  checkModels(context, input)
  const secret = randomBytes(24).toString('base64url')
  const { key_id, credential } = context.principal()
  const prepared: PreparedThread = {
    message_id: context.ids.prefixed('msg_'),
    run_id: context.ids.uuid(),
    input,
    ...(key_id === null ? {} : { key_id }),
    ...(credential === undefined ? {} : { credential }),
  }
  const note = { ...toPreparedNote(digestOf(secret), prepared), ts: context.clock.now().toISOString() }
  await context.sessions.append({ writes: [{ session, events: [note] }], wakes: false })
  return { run_token: encodeRunToken(session, secret), user_msg_id: prepared.message_id }
}

export interface TokenRun {
  readonly row: SessionRow
  readonly digest: string
  readonly prepared: PreparedThread
  /** Not read yet; started and running; ended or paused. */
  readonly phase: 'pending' | 'running' | 'over'
}

/** Throws `run_not_found` for a token that no thread has made. */
export async function findTokenRun(context: ServerContext, token: string): Promise<TokenRun> {
  const named = decodeRunToken(token)
  if (!named) throw new AppError('run_not_found')
  const row = await findSession(context, named.session).catch(error => {
    throw AppError.is(error) ? new AppError('run_not_found') : error
  })
  const digest = digestOf(named.secret)
  return { row, digest, ...(await readToken(context, row.id, digest)) }
}

async function readToken(
  { sessions }: ServerContext,
  session: string,
  digest: string,
): Promise<Pick<TokenRun, 'prepared' | 'phase'>> {
  let prepared: PreparedThread | undefined
  let phase: TokenRun['phase'] = 'pending'
  for await (const records of readPages(sessions.reader, session, { after: 0 }))
    for (const rec of records) {
      prepared ??= readPrepared(rec, digest)
      if (prepared) phase = phaseAfter(rec.ev, prepared.run_id) ?? phase
    }
  if (!prepared) throw new AppError('run_not_found')
  return { prepared, phase }
}

function phaseAfter(ev: SessionEvent, run_id: string): TokenRun['phase'] | undefined {
  if (ev.run_id !== run_id || ev.agent_run_id !== undefined) return undefined
  if (ev.type === 'input.message') return 'running'
  return endsRun(ev.type) ? 'over' : undefined
}

/** Sends the prepared message. False when another reader of the same token was first. */
export async function startTokenRun(context: ServerContext, run: TokenRun): Promise<boolean> {
  const { row, digest, prepared } = run
  const ts = context.clock.now().toISOString()
  const { message_id, run_id, input } = prepared
  const write: Append = {
    session: row.id,
    events: [
      { ...input, via: { ...(input.via ?? VIA), ...keyOf(prepared) }, ts, run_id, message_id },
      { ...toPreparedNote(digest, null), ts },
    ],
    key: `run:${digest}`,
    state: 'running',
    index: toIndex(input.content, row.title !== null),
  }
  const { items } = await context.sessions.append({ writes: [write], wakes: true })
  return items[0]?.isFirst === true
}

/** The token's holder sends it; the key that created it starts the run. */
const keyOf = ({ key_id }: PreparedThread) => (key_id === undefined ? {} : { key: key_id })

const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url')
