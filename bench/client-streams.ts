/** A recording in the words of each client that is measured. */
import { UiChunks } from '../packages/client/src/compat/ui-chunks.ts'
import { type Recording, recordsOf } from './recording.ts'

/** The name of a client, and its input. */
export const CLIENT_STREAMS = {
  toolwire: toFrames,
  'ai-sdk': toUiChunks,
  'ag-ui': toAgUiEvents,
} as const satisfies Readonly<Record<string, (recording: Recording) => readonly unknown[]>>

export type ClientName = keyof typeof CLIENT_STREAMS

/** Text of the canonical wire, a frame each. */
function toFrames({ frames }: Recording): readonly string[] {
  return frames.map(
    frame => `id: ${String(frame['session_id'])}.${frame.seq}.0\ndata: ${JSON.stringify(frame)}\n\n`,
  )
}

/** Output of the transport of `@toolwire/client/compat` for `useChat`. */
function toUiChunks(recording: Recording): readonly object[] {
  const chunks = new UiChunks()
  return recordsOf(recording).flatMap(({ ev }) => chunks.next(ev))
}

/** AG-UI has no wire here: its events for one call, with the same pieces. */
function toAgUiEvents(recording: Recording): readonly object[] {
  const ids = { threadId: 't', runId: 'r' }
  const call = { toolCallId: 'c' }
  const pieces = recordsOf(recording).flatMap(({ ev }) =>
    ev.type === 'block.delta' && ev.input_text !== undefined ? [ev.input_text] : [],
  )
  return [
    { type: 'RUN_STARTED', ...ids },
    { type: 'TOOL_CALL_START', ...call, toolCallName: 'echo' },
    ...pieces.map(delta => ({ type: 'TOOL_CALL_ARGS', ...call, delta })),
    { type: 'TOOL_CALL_END', ...call },
    { type: 'RUN_FINISHED', ...ids },
  ]
}
