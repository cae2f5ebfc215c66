/** A further message for a session that rests. */
import { type Append, type ContentPart, runLimits, type SessionRow } from '@toolwire/core'
import { textOf } from '../append-message.ts'
import type { Foretell, GatewayContext, Setup, StartedAnswer } from './answer-plan.ts'
import { MAX_TURNS } from './create-imported.ts'

const MAX_SEARCH = 10_000

export interface Turn {
  readonly content: readonly ContentPart[]
  readonly setup: Setup
  /** At most one message is ever appended under it. */
  readonly key?: string
  /** The message takes the place of whatever the session waits for. */
  readonly supersede?: boolean
  readonly foretell?: Foretell | undefined
}

/** Undefined, and nothing appended, when the session is at work, or waits and may not be superseded, or the key was used. */
export async function appendTurn(
  context: GatewayContext,
  row: SessionRow,
  turn: Turn,
): Promise<Pick<StartedAnswer, 'session' | 'follow' | 'from'> | undefined> {
  const summary = await context.summaries.get(row.id)
  if (summary.busy || (summary.paused && !turn.supersede)) return undefined
  const { ids, clock, store } = context
  const { protocol, client_tools, model, options, limits } = turn.setup
  const run_id = ids.uuid()
  const write: Append = {
    session: row.id,
    events: [
      {
        type: 'input.message',
        ts: clock.now().toISOString(),
        run_id,
        message_id: ids.prefixed('msg_'),
        role: 'user',
        content: [...turn.content],
        via: { protocol },
        client_tools: [...client_tools],
        model,
        options: { ...options },
        ...runLimits(limits),
        max_turns: MAX_TURNS,
        ...(turn.supersede ? { if_paused: 'supersede' as const } : {}),
      },
    ],
    state: 'running',
    ...(turn.key === undefined ? {} : { key: turn.key }),
    index: { text: textOf(turn.content).slice(0, MAX_SEARCH) },
  }
  await turn.foretell?.({ session: row.id, run_id })
  const [answer] = await store.append([write])
  if (!answer || !('head' in answer)) return undefined
  context.runtime.wake(row.id)
  return { session: row.id, follow: { kind: 'run', run_id }, from: answer.head - 1 }
}
