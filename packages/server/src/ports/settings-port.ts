/** Setup of the machine, for the settings route. */

/** True if commands run in a sandbox, with the reason if not. */
interface SandboxSetting {
  /** Asked for in the settings. */
  readonly enabled: boolean
  /** The machine has one that works. */
  readonly available: boolean
  /** One sentence for people. */
  readonly reason: string
  readonly network: boolean
  readonly required: boolean
}

/** The location of the sessions, without secrets. */
interface StoragePlace {
  readonly engine: 'sqlite' | 'postgres'
  /** The folder with the server's data. */
  readonly data: string
}

/** One thing that the doctor looked at. */
interface Finding {
  readonly state: 'good' | 'note' | 'bad'
  readonly what: string
  /** The suggested fix. */
  readonly mend?: string
}

/** Port of the composition root for the routes. */
export interface SettingsPort {
  readonly sandbox: () => Promise<SandboxSetting>
  readonly storage?: StoragePlace
  /** The checks of `toolwire doctor` on the running server. Never throws. */
  readonly examine?: () => Promise<readonly Finding[]>
}
