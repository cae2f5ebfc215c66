/** How the machine is set up, as the settings route tells it. */

/** Whether commands run in a sandbox, and why not. */
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

/** Where sessions are kept. Nothing secret is in it. */
interface StoragePlace {
  readonly engine: 'sqlite' | 'postgres'
  /** The folder with the server's data. */
  readonly data: string
}

/** One thing that the doctor looked at. */
interface Finding {
  readonly state: 'good' | 'note' | 'bad'
  readonly what: string
  /** What to do about it. */
  readonly mend?: string
}

/** What the routes need of whoever composed the server. */
export interface SettingsPort {
  readonly sandbox: () => Promise<SandboxSetting>
  readonly storage?: StoragePlace
  /** What `toolwire doctor` looks at, seen from the running server. Never throws. */
  readonly examine?: () => Promise<readonly Finding[]>
}
