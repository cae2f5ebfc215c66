/** A new session that begins with the conversation of its first request. */
import { AppError, capLimits, type EventOf, type SessionEvent } from '@toolwire/core'
import type { Tail, Told, Warning } from '@toolwire/wire'
import { textOf, toTitle } from '../append-message.ts'
import { chooseWorkspace } from '../choose-workspace.ts'
import type { Foretell, GatewayContext, Setup, StartedAnswer } from './answer-plan.ts'
import { importHistory } from './import-history.ts'

/** Rounds with server tools in one answer. */
export const MAX_TURNS = 100

const MAX_SEARCH = 10_000

/** What the new session begins with. Repairs are kept in its log. */
export interface Said {
  readonly history: readonly Told[]
  readonly tail: Tail
  readonly warnings: readonly Warning[]
  readonly foretell?: Foretell | undefined
}

/** Appends everything at once and wakes the runtime. `id` is used when it was never used before. */
export async function createImported(
  context: GatewayContext,
  said: Said,
  setup: Setup,
  id?: string,
): Promise<Pick<StartedAnswer, 'session' | 'follow' | 'from'>> {
  const { config, ids, clock, store } = context
  const ts = clock.now().toISOString()
  const created: EventOf<'session.created'> = {
    type: 'session.created',
    ts,
    cwd: chooseWorkspace(context),
    model: setup.model,
    tools: [...setup.server_tools],
    permission_mode: config.permissionMode,
    metadata: { wire: setup.protocol },
  }
  const limits = { ...capLimits(setup.limits, config.limits), max_turns: MAX_TURNS }
  const imported = importHistory(said.history, said.tail, { ...setup, limits }, { ids, ts })
  const notes: readonly SessionEvent[] =
    said.warnings.length === 0 ? [] : [{ type: 'note', ts, name: 'gateway.repairs', value: said.warnings }]
  const text = textOf(firstSaid(said.history, said.tail))
  const write = {
    create: true,
    events: [created, ...notes, ...imported.events],
    state: 'running',
    index: {
      ...(text === '' ? {} : { title: toTitle(text) }),
      text: text.slice(0, MAX_SEARCH),
      labels: { workspace: created.cwd, model: created.model },
    },
  } as const
  const wanted = id ?? ids.uuid()
  const { run_id } = imported
  await said.foretell?.({ session: wanted, run_id })
  const [first] = await store.append([{ session: wanted, ...write }])
  const taken = !first || !('head' in first)
  const session = taken ? ids.uuid() : wanted
  if (taken) {
    await said.foretell?.({ session, run_id })
    const [second] = await store.append([{ session, ...write }])
    if (!second || !('head' in second)) throw new AppError('conflict')
  }
  context.runtime.wake(session)
  return { session, follow: { kind: 'run', run_id }, from: 1 + notes.length + imported.past }
}

function firstSaid(history: readonly Told[], tail: Tail) {
  const first = history.find(message => message.role === 'user')
  if (first?.role === 'user') return first.content
  return tail.type === 'message' ? tail.content : []
}
