/** The property that every wire must have: cut after any frame, resume with its id, get the same bytes. */
import { type Cursor, decodeCursor, type Rec, START } from '@toolwire/core'
import { encodeSse, framesAfter, type Wire } from '../src/index.ts'

export const SESSION = '3fa85f64-5717-4562-b3fc-2c963f66afa6'

/** How a server resumes; tests may pass a broken way. */
export type Resume = (wire: Wire, log: readonly Rec[], cursor: Cursor) => readonly string[]

/** The right way: every record is stepped, frames up to the cursor are left out. */
export const resumeFromStart: Resume = (wire, log, cursor) => {
  const step = wire.open({ session_id: SESSION })
  return log.flatMap(rec => framesAfter(SESSION, rec, step(rec), cursor).map(encodeSse))
}

/** The first cut whose continuation differs from the uncut stream; undefined without one. */
export function findBrokenCut(
  wire: Wire,
  log: readonly Rec[],
  resume: Resume = resumeFromStart,
): string | undefined {
  const whole = resumeFromStart(wire, log, START)
  for (const [i, frame] of whole.entries()) {
    const id = /^id: (.+)$/m.exec(frame)?.[1] ?? ''
    const rest = resume(wire, log, decodeCursor(id, SESSION)).join('')
    if (rest !== whole.slice(i + 1).join('')) return id
  }
  return undefined
}
