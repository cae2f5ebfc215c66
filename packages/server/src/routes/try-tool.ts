/** Trying one tool: POST /api/tools/:name/try makes the call in a session of its own, by the same rules as any other. */
import { AppError, type EventOf, type PendingItem, type Rec } from '@toolwire/core'
import { TRY_MODEL, TRY_OPTION } from '@toolwire/runtime'
import { createFollower, parseBody } from '@toolwire/wire'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { chooseWorkspace } from '../choose-workspace.ts'
import type { ServerContext } from '../context.ts'
import { createSessionWaiter } from '../session-waiter.ts'

export const TryBody = z.object({
  input: z.record(z.string(), z.unknown()).default({}),
  workspace: z.string().min(1).max(4096).nullish(),
  /** How long to wait for the result; the call goes on afterwards. */
  wait_ms: z.number().int().min(0).max(60_000).default(30_000),
})

interface Tried {
  readonly session_id: string
  readonly call_id?: string
  readonly status: 'completed' | 'failed' | 'pending' | 'running'
  readonly result?: Readonly<Record<string, unknown>>
  readonly pending: readonly PendingItem[]
}

/** Without `canTry` the route does not exist. An unknown tool is refused before a session is made. */
export function addTryRoute(app: FastifyInstance, context: ServerContext): void {
  app.post<{ Params: { name: string } }>('/api/tools/:name/try', async (request, reply) => {
    const { config } = context
    if (!config.canTry) throw new AppError('not_found', 'This server tries no tools.')
    const { name } = request.params
    const body = parseBody(TryBody, request.body)
    if (!config.listTools().some(tool => tool.name === name))
      throw new AppError('not_found', `This server has no tool named ${JSON.stringify(name.slice(0, 100))}.`)
    const session = context.ids.uuid()
    const run_id = context.ids.uuid()
    const cwd = chooseWorkspace(context, body.workspace ?? undefined)
    await context.store.append([
      {
        session,
        create: true,
        events: toEvents(context, { name, input: body.input, cwd, run_id }),
        state: 'running',
        index: { title: `Try ${name}`, labels: { workspace: cwd, model: TRY_MODEL } },
      },
    ])
    context.runtime.wake(session)
    const waiter = createSessionWaiter(context, session, reply.raw)
    const timer = setTimeout(() => waiter.stop(), body.wait_ms)
    try {
      const records = await readUntilEnd(context, { session, run_id }, waiter)
      const pending = (await context.summaries.get(session)).pending()
      return await reply.code(201).send(toTried(session, records, pending))
    } finally {
      clearTimeout(timer)
      waiter.close()
    }
  })
}

interface Trial {
  readonly name: string
  readonly input: unknown
  readonly cwd: string
  readonly run_id: string
}

function toEvents(
  { config, clock, ids }: ServerContext,
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
      permission_mode: config.permissionMode,
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

const PAGE = 500

/** What the session holds when its run has ended or paused, the client has left, or the time is up. */
async function readUntilEnd(
  context: ServerContext,
  { session, run_id }: { readonly session: string; readonly run_id: string },
  waiter: ReturnType<typeof createSessionWaiter>,
): Promise<readonly Rec[]> {
  const followed = createFollower({ kind: 'run', run_id })
  const records: Rec[] = []
  for (;;) {
    waiter.reset()
    const page = await context.reader.read(session, records.length, PAGE)
    for (const rec of page) {
      records.push(rec)
      if (followed(rec).last) return records
    }
    if (waiter.stopped()) return records
    if (page.length < PAGE) await waiter.wait()
  }
}

function toTried(session_id: string, records: readonly Rec[], pending: readonly PendingItem[]): Tried {
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
