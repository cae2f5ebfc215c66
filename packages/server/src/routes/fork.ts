/**
 * Forks a session: a new one with the same past up to a point. Open work at that point is closed in the copy, so
 * that the fork is idle and a new message starts its own run.
 */
import { AppError, decodeCursor, type EventOf, type Rec, readPages, type SessionEvent } from '@toolwire/core'
import { sessionLabels } from '@toolwire/session'
import { z } from 'zod'
import type { ServerContext } from '../context.ts'
import { reply } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { json, SESSION_ERRORS } from '../openapi/operation.ts'
import { Session } from '../openapi/shapes/session-shapes.ts'
import { findSession } from '../sessions/find-session.ts'
import { toSessionView } from '../sessions/session-view.ts'

const ForkBody = z.object({
  /** A position in the log, as a number or as a frame's id; the end without it. */
  at: z.union([z.number().int().min(1), z.string().min(1).max(512)]).nullish(),
  title: z.string().min(1).max(500).nullish(),
})

export const forkRoute = defineRoute({
  method: 'POST',
  path: '/api/sessions/:id/fork',
  scope: 'write',
  id: 'forkSession',
  tag: 'Sessions',
  summary: 'Copy a session up to a point',
  description: 'What was running at that point is closed in the copy.',
  body: ForkBody.meta({ id: 'ForkSession' }),
  isBodyOptional: true,
  errors: ['bad_request', 'invalid_cursor', ...SESSION_ERRORS],
  responses: { 201: json(Session, 'The copy.') },
  handle: async (exchange, context) => {
    const row = await findSession(context, exchange.params.id)
    const { at, title } = exchange.parseBody()
    const seq =
      at === undefined || at === null ? row.head : typeof at === 'number' ? at : decodeCursor(at, row.id).seq
    if (seq < 1 || seq > row.head) throw new AppError('invalid_cursor', 'at: beyond the end of the session')
    const id = context.ids.uuid()
    await copy(context, { from: row.id, to: id, seq, title: title ?? row.title })
    const forked = await findSession(context, id)
    return reply(201, toSessionView(forked, await context.sessions.facts(id)))
  },
})

interface Fork {
  readonly from: string
  readonly to: string
  readonly seq: number
  readonly title: string | null
}

async function copy(context: ServerContext, fork: Fork): Promise<void> {
  const open = await openAt(context, fork)
  let copied = 0
  for await (const records of readPages(context.sessions.reader, fork.from, { after: 0, head: fork.seq })) {
    const events = records.filter(rec => !open.queued.has(rec.seq)).map(rec => forkedEvent(rec, fork))
    await write(context, fork, events, copied === 0)
    copied += records.length
  }
  if (copied < fork.seq) throw new AppError('session_deleted')
  if (open.closing.length > 0) await write(context, fork, open.closing, false)
}

async function write(
  context: ServerContext,
  fork: Fork,
  events: readonly SessionEvent[],
  create: boolean,
): Promise<void> {
  const [first] = events
  const labels = first?.type === 'session.created' ? sessionLabels(first) : undefined
  const index = { ...(fork.title === null ? {} : { title: fork.title }), ...(labels ? { labels } : {}) }
  const write = { session: fork.to, events, state: 'idle', ...(create ? { create, index } : {}) } as const
  await context.sessions.append({ writes: [write], wakes: false })
}

function forkedEvent({ ev }: Rec, fork: Fork): SessionEvent {
  if (ev.type !== 'session.created') return ev
  return {
    ...ev,
    ...(fork.title === null ? {} : { title: fork.title }),
    forked_from: { session_id: fork.from, seq: fork.seq },
  }
}

/** Messages without a run at the point, and the events that close the open run. */
async function openAt(context: ServerContext, fork: Fork) {
  const found: OpenWork = {
    queued: new Map(),
    answers: new Set(),
    background: new Set(),
    run: undefined,
  }
  for await (const records of readPages(context.sessions.reader, fork.from, { after: 0, head: fork.seq }))
    for (const rec of records) {
      if (rec.ev.agent_run_id === undefined) note(found, rec)
      else noteAgent(found, rec.ev)
    }
  const ts = context.clock.now().toISOString()
  const agents = [...found.background].flatMap(id => closeAgent(id, ts))
  const closing = [...agents, ...(found.run ? [closeRun(found.run, ts)] : [])]
  return { queued: new Set([...[...found.queued.values()].map(({ seq }) => seq), ...found.answers]), closing }
}

interface OpenWork {
  readonly queued: Map<string, { readonly seq: number; readonly message_id: string }>
  readonly answers: Set<number>
  /** Agents in the background that had not ended. */
  readonly background: Set<string>
  run: EventOf<'run.started'> | undefined
}

function note(found: OpenWork, { seq, ev }: Rec): void {
  switch (ev.type) {
    case 'input.message':
      // A message delivered in the middle of a run needs no separate run.
      if (ev.run_id !== undefined && ev.run_id !== found.run?.run_id)
        found.queued.set(ev.run_id, { seq, message_id: ev.message_id })
      break
    case 'input.delivered':
      // Part of this run: it needs no separate one.
      for (const [run, queued] of found.queued)
        if (queued.message_id === ev.message_id) found.queued.delete(run)
      break
    case 'input.tool_output':
    case 'input.approval':
      // An answer without a run would leave the copy running forever.
      found.answers.add(seq)
      break
    case 'run.started':
      found.queued.delete(ev.run_id ?? '')
      found.answers.clear()
      found.run = ev
      break
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
      found.run = undefined
      break
    default:
  }
}

const closeRun = (run: EventOf<'run.started'>, ts: string): EventOf<'run.cancelled'> => ({
  type: 'run.cancelled',
  ts,
  ...(run.run_id === undefined ? {} : { run_id: run.run_id }),
  reason: 'forked',
  usage_by_model: [],
  duration_ms: 0,
  num_turns: 0,
})

function noteAgent({ background }: OpenWork, ev: SessionEvent): void {
  if (ev.type === 'agent.started' && ev.background) background.add(ev.agent_run_id)
  if (ev.type === 'agent.finished') background.delete(ev.agent_run_id)
}

/** Background work of the original does not run in the copy. */
function closeAgent(agent_run_id: string, ts: string): readonly SessionEvent[] {
  const none = { usage_by_model: [], duration_ms: 0, num_turns: 0 }
  const error = { code: 'interrupted', message: 'forked', retryable: true }
  return [
    { type: 'run.cancelled', ts, agent_run_id, reason: 'forked', ...none },
    { type: 'agent.finished', ts, agent_run_id, outcome: 'error', error },
  ]
}
