/**
 * Tries one tool: POST /api/tools/:name/try makes the call in a separate session, by the same rules as any other.
 */
import {
  AppError,
  type EventOf,
  type PendingItem,
  pendingOf,
  type Rec,
  START,
  TRY_MODEL,
  TRY_OPTION,
} from '@toolwire/core'
import { recordSink, recordWire, sessionLabels } from '@toolwire/session'
import { z } from 'zod'
import type { ServerContext } from '../context.ts'
import type { Client } from '../http/exchange.ts'
import { reply } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { json } from '../openapi/operation.ts'
import { TriedCall } from '../openapi/shapes/tool-shapes.ts'
import { chooseWorkspace } from '../sessions/choose-workspace.ts'

const TryBody = z.object({
  input: z.record(z.string(), z.unknown()).default({}),
  workspace: z.string().min(1).max(4096).nullish(),
  /** Maximum wait for the result; the call continues afterwards. */
  wait_ms: z.number().int().min(0).max(60_000).default(30_000),
})

interface TryResult {
  readonly session_id: string
  readonly call_id?: string
  readonly status: 'completed' | 'failed' | 'pending' | 'running'
  readonly result?: Readonly<Record<string, unknown>>
  readonly pending: readonly PendingItem[]
}

/** An unknown tool is rejected before a session is made. */
export const tryRoute = defineRoute({
  method: 'POST',
  path: '/api/tools/:name/try',
  scope: 'write',
  id: 'tryTool',
  tag: 'Tools',
  summary: 'Make one call in a new session',
  body: TryBody.meta({ id: 'TryTool' }),
  isBodyOptional: true,
  errors: ['bad_request', 'not_found'],
  responses: { 201: json(TriedCall, 'The result, or what the call waits for.') },
  handle: async (exchange, context) => {
    const { ports } = context
    if (!ports.canTry) throw new AppError('not_found', 'This server tries no tools.')
    const { name } = exchange.params
    const body = exchange.parseBody()
    if (!ports.listTools().some(tool => tool.name === name))
      throw new AppError('not_found', `This server has no tool named ${JSON.stringify(name.slice(0, 100))}.`)
    const session = context.ids.uuid()
    const run_id = context.ids.uuid()
    const cwd = chooseWorkspace(context, body.workspace ?? undefined)
    const events = toEvents(context, { name, input: body.input, cwd, run_id })
    const index = { title: `Try ${name}`, labels: sessionLabels(events[0]) }
    await context.sessions.append({
      writes: [{ session, create: true, events, state: 'running', index }],
      wakes: true,
    })
    const records = await readRun(context, { session, run_id, wait_ms: body.wait_ms }, exchange.client)
    const pending = pendingOf(await context.sessions.facts(session))
    return reply(201, toTried(session, records, pending))
  },
})

interface Trial {
  readonly name: string
  readonly input: unknown
  readonly cwd: string
  readonly run_id: string
}

function toEvents(
  { settings, clock, ids }: ServerContext,
  { name, input, cwd, run_id }: Trial,
): readonly [EventOf<'session.created'>, EventOf<'input.message'>] {
  const ts = clock.now().toISOString()
  return [
    {
      type: 'session.created',
      ts,
      cwd,
      model: TRY_MODEL,
      tools: [name],
      permission_mode: settings.permissionMode,
      title: `Try ${name}`,
      metadata: { tried_tool: name },
    },
    {
      type: 'input.message',
      ts,
      run_id,
      message_id: ids.prefixed('msg_'),
      role: 'user',
      content: [{ type: 'text', text: `Try ${name}` }],
      via: { protocol: 'api' },
      options: { [TRY_OPTION]: { name, input } },
    },
  ]
}

/** The records of the run until it ends or pauses, the client leaves, or the time is up. Throws `session_deleted`. */
async function readRun(
  { sessions }: ServerContext,
  run: { readonly session: string; readonly run_id: string; readonly wait_ms: number },
  client: Client,
): Promise<readonly Rec[]> {
  const { session, run_id } = run
  const sink = recordSink(client)
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), run.wait_ms)
  try {
    const target = { kind: 'run', run_id } as const
    const plan = { session, wire: recordWire, target, cursor: START, until: timeout.signal }
    const { type } = await sessions.follow(plan, sink)
    if (type === 'deleted' || type === 'unknown') throw new AppError('session_deleted')
    return sink.records
  } finally {
    clearTimeout(timer)
  }
}

function toTried(session_id: string, records: readonly Rec[], pending: readonly PendingItem[]): TryResult {
  const events = records.map(rec => rec.ev)
  const call = events.flatMap(ev => (ev.type === 'block.started' && ev.tool ? [ev.tool.call_id] : []))[0]
  const base = { session_id, ...(call === undefined ? {} : { call_id: call }), pending }
  const end = events.find(ev => ev.type === 'tool.completed' || ev.type === 'tool.failed')
  if (end?.type === 'tool.completed') {
    const { output_text, content, is_error, structured, view, duration_ms } = end
    return {
      ...base,
      status: 'completed',
      result: { output_text, content, is_error, structured, view, duration_ms },
    }
  }
  if (end?.type === 'tool.failed') {
    const { output_text, error, duration_ms } = end
    return { ...base, status: 'failed', result: { output_text, is_error: true, error, duration_ms } }
  }
  return { ...base, status: pending.length > 0 ? 'pending' : 'running' }
}
