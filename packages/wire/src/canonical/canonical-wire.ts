/** The log itself as a wire: one envelope per record, `event:` is its type. */
import { type Rec, toEnvelope } from '@toolwire/core'
import { defineWire, type Projection } from '../wire.ts'

export const canonicalProjection: Projection<string> = {
  initial: context => context.session_id,
  step: (sessionId: string, rec: Rec) => [
    sessionId,
    [{ event: rec.ev.type, data: JSON.stringify(toEnvelope(sessionId, rec)) }],
  ],
}

/** Watch any session exactly as it is recorded. */
export const canonicalWire = defineWire('canonical', canonicalProjection, { memory: 'none' })
