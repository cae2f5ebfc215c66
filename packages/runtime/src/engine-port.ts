/** For engines outside of this package: their port, and the loop that drives a session with another model. */
export type { DriveContext, Engine } from './engine.ts'
export { type DriveDeps, drive } from './loop/drive.ts'
export { TurnExitError } from './loop/leave-turn.ts'
export { usedCallIds } from './loop/used-call-ids.ts'
