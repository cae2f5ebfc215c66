/**
 * A recording of the product's output for one call with a large input, as records of its log: taken from the
 * canonical wire while the provider wrote, at full speed or at a model's pace. Clients are fed with it.
 */
import { ArgumentDeduplicator } from '@toolwire/core/parts'
import { readEnvelope, type ViewRecord } from '@toolwire/core/view'
import { bigCall, PIECE } from './big-input.ts'
import { CHAT } from './road.ts'

export interface Recording {
  readonly chars: number
  /** Milliseconds between two deltas of the provider; 0: as fast as they are taken. */
  readonly paceMs: number
  /** From the first piece of the arguments to the last. */
  readonly streamed_ms: number
  /** The data of every frame, as received: repeated arguments are omitted from later records. */
  readonly frames: readonly Frame[]
}

export type Frame = Readonly<Record<string, unknown>> & { readonly seq: number }

type Wanted = Pick<Recording, 'chars' | 'paceMs'>

/** Throws when pieces do not make up the arguments. The server must have the tool `echo`. */
export async function record(url: string, { chars, paceMs }: Wanted): Promise<Recording> {
  const model = bigCall(CHAT.model, chars, paceMs)
  const session = await CHAT.prepare?.(url, model)
  const posted = await fetch(`${url}${CHAT.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(CHAT.body(model, session)),
  })
  await posted.body?.cancel()
  const query = 'wire=canonical&repeats=omit'
  const answer = await (await fetch(`${url}/api/sessions/${session}/events?${query}`)).text()
  const frames = [...answer.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Frame)
  const pieces = frames.filter(isPiece)
  const got = pieces.reduce((sum, piece) => sum + piece.input_text.length, 0)
  if (got !== chars) throw new Error(`${got} of ${chars} characters: ${answer.slice(-300)}`)
  const time = (frame: Frame | undefined): number => Date.parse(String(frame?.['ts']))
  return { chars, paceMs, streamed_ms: time(pieces.at(-1)) - time(pieces[0]), frames }
}

/** The same with the pieces that the provider sent: what a client would read of a server that joins nothing. */
export function asProvided(recording: Recording): Recording {
  const frames: Frame[] = []
  const add = (frame: Frame): void => void frames.push({ ...frame, seq: frames.length + 1 })
  for (const frame of recording.frames) {
    if (!isPiece(frame)) {
      add(frame)
      continue
    }
    for (let at = 0; at < frame.input_text.length; at += PIECE)
      add({
        ...frame,
        offset: frame.offset + at,
        input_text: frame.input_text.slice(at, at + PIECE),
      } as Frame)
  }
  return { ...recording, frames }
}

/** Of the arguments. */
export const countPieces = ({ frames }: Recording): number => frames.filter(isPiece).length

/** Complete records, as in a client that restores omitted arguments. */
export function recordsOf({ frames }: Recording): readonly ViewRecord[] {
  const told = new ArgumentDeduplicator()
  return frames.flatMap(frame => {
    const rec = readEnvelope(frame)
    return rec ? [{ seq: rec.seq, ev: told.restoreOmitted(rec.ev) }] : []
  })
}

const isPiece = (frame: Frame): frame is Frame & { readonly offset: number; readonly input_text: string } =>
  frame['type'] === 'block.delta' && typeof frame['input_text'] === 'string'
