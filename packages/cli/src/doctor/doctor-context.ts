/** Input of the doctor's checks. */
import type { Config } from '../config.ts'

export interface DoctorContext {
  readonly config: Config
  readonly env: Readonly<Record<string, string | undefined>>
  readonly webRoot: string
  /** The server runs, and it is the one that asks: its own address is taken by itself. */
  readonly isRunning?: boolean
  /** Id of the database file that the running server opened; undefined for PostgreSQL. */
  readonly openFile?: string | undefined
}
