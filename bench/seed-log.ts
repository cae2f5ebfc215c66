/** Sessions as servers write them, put straight into a data folder: a long conversation takes seconds, not minutes. */
import type { SessionEvent } from '@toolwire/core'
import { openSqliteStore } from '@toolwire/store'

const TS = '2026-01-01T00:00:00.000Z'
const WORDS = 'the server keeps every event of a session in one log and reads it back from any position '
const DELTAS = 20
const BATCH = 500

/** One message of a user and its response, in small pieces. */
function turnOf(n: number): readonly SessionEvent[] {
  const run = { ts: TS, run_id: `run-${n}` }
  const message_id = `msg_${n}`
  const block_id = `${message_id}.0`
  const text = WORDS.repeat(5)
  const size = Math.ceil(text.length / DELTAS)
  const deltas = Array.from({ length: DELTAS }, (_, i) => text.slice(i * size, (i + 1) * size))
  const usage = { input: 100, output: 100, cache_read: 0, cache_write: 0, reasoning: 0 }
  return [
    {
      type: 'input.message',
      ...run,
      message_id: `in_${n}`,
      role: 'user',
      content: [{ type: 'text', text: `Question ${n}: ${WORDS}` }],
    },
    {
      type: 'run.started',
      ...run,
      conversation_id: run.run_id,
      trigger: 'message',
      client_tools: [],
      model: 'claude-bench',
    },
    { type: 'turn.started', ...run, turn: n, provider: 'anthropic', model: 'claude-bench', attempt: 1 },
    { type: 'message.started', ...run, turn: n, message_id, provider_message_id: `p${n}`, role: 'assistant' },
    { type: 'block.started', ...run, turn: n, message_id, block_id, index: 0, run_index: 0, kind: 'text' },
    ...deltas.map(
      (delta, i) =>
        ({ type: 'block.delta', ...run, turn: n, block_id, offset: i * size, text: delta }) as const,
    ),
    { type: 'block.completed', ...run, turn: n, block_id, text },
    {
      type: 'turn.completed',
      ...run,
      turn: n,
      message_id,
      stop_reason: 'end_turn',
      finish: 'stop',
      usage,
      has_next: false,
    },
    { type: 'run.completed', ...run, num_turns: 1, duration_ms: 1, usage_by_model: [], final_text: text },
  ] as readonly SessionEvent[]
}

const created: SessionEvent = {
  type: 'session.created',
  ts: TS,
  cwd: '/',
  model: 'claude-bench',
  tools: ['echo'],
  permission_mode: 'default',
}

export interface LogContents {
  /** Session ids and how many turns each has. */
  readonly long: Readonly<Record<string, number>>
  /** Short sessions beside them. */
  readonly short: number
}

/** Writes into an empty folder. */
export async function seedLog(dir: string, { long, short }: LogContents): Promise<void> {
  const store = await openSqliteStore({ dir })
  try {
    for (const [session, turns] of Object.entries(long)) {
      await store.append([{ session, create: true, events: [created] }])
      for (let n = 0; n < turns; n++) await store.append([{ session, events: turnOf(n) }])
    }
    for (let from = 0; from < short; from += BATCH)
      await store.append(
        Array.from({ length: Math.min(BATCH, short - from) }, (_, i) => ({
          session: `5e550000-0000-4000-8000-${String(from + i).padStart(12, '0')}`,
          create: true,
          events: [created, ...turnOf(0)],
          index: { title: `Conversation ${from + i} about the server` },
        })),
      )
  } finally {
    await store.close()
  }
}
