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

/** What the route needs of whoever composed the server. */
export interface SettingsPort {
  readonly sandbox: () => Promise<SandboxSetting>
}
