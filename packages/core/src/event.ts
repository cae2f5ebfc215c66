/** Event types for everyone, without the schema library behind them (browser-safe). */
import type { SessionEvent } from './schema/event.ts'

export type {
  ContentPart,
  Failure,
  Opaque,
  PendingItem,
  ToolFailure,
  ToolLayer,
  ToolSpec,
  ToolView,
  Usage,
  Warning,
} from './schema/content.ts'
export type { BlockKind, Finish, PauseReason, SessionEvent } from './schema/event.ts'

export type EventType = SessionEvent['type']
export type EventOf<T extends EventType> = Extract<SessionEvent, { type: T }>

/** Place of an event in its session: 1, 2, 3 … without gaps, given by the store at commit. */
export type Seq = number

/** An event as the log returns it. `epoch` identifies the ownership that wrote it. */
export type Rec = { readonly seq: Seq; readonly epoch: number; readonly ev: SessionEvent }

const PREVIEWS: ReadonlySet<string> = new Set([
  'block.delta',
  'tool.progress',
  'run.started',
  'run.resumed',
  'session.bound',
  'turn.started',
  'message.started',
  'block.started',
])
/**
 * Previews may be lost with the power; facts may not. A batch is fsynced when it holds one fact. What only
 * opens something is a preview too: its first fact brings it to disk, and until then losing it loses nothing.
 */
export const isPreview = (type: EventType): boolean => PREVIEWS.has(type)

const RUN_ENDS: ReadonlySet<string> = new Set(['run.completed', 'run.paused', 'run.failed', 'run.cancelled'])
/** A run ends in exactly one of these. */
export const endsRun = (type: EventType): boolean => RUN_ENDS.has(type)

/** The envelope that canonical readers see. */
export function toEnvelope(sessionId: string, rec: Rec): Record<string, unknown> {
  const { type, ts, run_id, turn, agent_run_id, v, ...payload } = rec.ev
  return {
    v: v ?? 1,
    seq: rec.seq,
    id: `${sessionId}.${rec.seq}`,
    ts,
    session_id: sessionId,
    ...(run_id === undefined ? {} : { run_id }),
    ...(turn === undefined ? {} : { turn }),
    ...(agent_run_id === undefined ? {} : { agent_run_id }),
    type,
    ...payload,
  }
}
