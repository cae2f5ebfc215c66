import { isVendorWire } from './vendor-wires.ts'

/** Effort of thinking that a model is asked for. `auto` leaves the amount to the model, `none` asks for no thinking. */
export const EFFORTS = ['auto', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof EFFORTS)[number]

interface EffortSources {
  readonly message: Effort | undefined
  readonly session: Effort | undefined
  readonly server: Effort | undefined
  /** The wire of the message that starts the run. */
  readonly protocol: string | undefined
}

/** The effort of a run: what its message asks for, else the session's, else the server's. Vendors' wires get no default. Pure. */
export function chooseEffort({ message, session, server, protocol }: EffortSources): Effort | undefined {
  if (message !== undefined) return message
  return isVendorWire(protocol) ? undefined : (session ?? server)
}
