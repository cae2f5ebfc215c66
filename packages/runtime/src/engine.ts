/**
 * The port of an engine: what drives a session instead of the loop alone. The log stays the only
 * truth; an engine may keep a process for a session, but must be able to lose it at any moment.
 */
import { AppError, type SessionState } from '@toolwire/core'
import type { AgentPort } from './loop/agent-port.ts'
import { type DriveDeps, drive, type StepContext } from './loop/drive.ts'

/** One stretch of work on one session, under one ownership. */
export interface DriveContext {
  readonly port: AgentPort
  readonly deps: DriveDeps
  readonly work: () => StepContext
  /** The process goes down: whatever is open stays open. */
  readonly stop: AbortSignal
}

export interface Engine {
  /** Its name in `metadata.engine` of a session and in the server's settings. */
  readonly name: string
  /**
   * Returns when the session waits or is idle, or when `stop` is aborted. Rejects only if the log cannot be
   * written.
   */
  readonly drive: (stretch: DriveContext) => Promise<void>
  /** Ends every process it holds; sessions continue from the log later. Idempotent. */
  readonly close: () => Promise<void>
}

/** Engines by what sessions and settings call them, and the one for sessions that name none. */
export interface Engines {
  readonly all: readonly Engine[]
  /** `native`, the loop alone, when absent. */
  readonly standard?: string
}

/** The engine of a session. One that is asked for and not there lets every run fail, saying so. */
export function engineOf(state: SessionState, engines: Engines = { all: [] }): Engine {
  const asked = state.created?.metadata?.['engine']
  const name = typeof asked === 'string' && asked !== '' ? asked : (engines.standard ?? NATIVE.name)
  if (name === NATIVE.name) return NATIVE
  return engines.all.find(engine => engine.name === name) ?? missing(name)
}

const NATIVE: Engine = {
  name: 'native',
  drive: ({ port, deps, work, stop }) => drive(port, deps, work, stop),
  close: async () => {},
}

function missing(name: string): Engine {
  const models = (): never => {
    throw new AppError(
      'bad_request',
      `This server has no engine "${name}"; sessions without one run natively.`,
    )
  }
  return {
    ...NATIVE,
    name,
    drive: ({ port, deps, work, stop }) => drive(port, { ...deps, models }, work, stop),
  }
}
