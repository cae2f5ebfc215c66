/** A recording in the words of each client that is measured. */
import { agUiWire, aiSdkWire, type Wire } from '../packages/wire/src/index.ts'
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

/** The wire of `useChat`, chunk by chunk. */
function toUiChunks(recording: Recording): readonly object[] {
  return framesOf(aiSdkWire(7), recording)
}

/** The wire of CopilotKit, event by event. */
function toAgUiEvents(recording: Recording): readonly object[] {
  return framesOf(agUiWire, recording)
}

function framesOf(wire: Wire, recording: Recording): readonly object[] {
  const step = wire.open({ session_id: 's' })
  return recordsOf(recording).flatMap(rec =>
    step({ epoch: 1, ...rec }).map(({ data }) => JSON.parse(data) as object),
  )
}
